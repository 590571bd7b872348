/** While a run goes on its sentence is read out at most this often, in milliseconds. */
const everyMs = 10_000;

/** Says the sentence of the page to a screen reader, without talking over it. */
export function announcer(say: () => void): { text(sentence: string, isLive: boolean): string } {
  let said = '';
  let last = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    text(sentence, isLive) {
      if (sentence === said) return said;
      const left = last + everyMs - performance.now();
      if (!isLive || left <= 0) {
        clearTimeout(timer);
        timer = undefined;
        said = sentence;
        last = performance.now();
      } else {
        timer ??= setTimeout(() => {
          timer = undefined;
          say();
        }, left);
      }
      return said;
    },
  };
}
