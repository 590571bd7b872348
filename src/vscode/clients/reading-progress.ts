import * as vscode from 'vscode';

/** Says in the status bar how far the reading of a large workspace is; nothing waits for it. */
export function readingProgress(): { report(done: number, total: number): void; end(): void } {
  let shown: { say(message: string): void; end(): void } | undefined;
  const show = (): NonNullable<typeof shown> => {
    let end = (): void => {};
    let say = (_: string): void => {};
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    void vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: 'Backfill' }, (progress) => {
      say = (message) => progress.report({ message });
      return over;
    });
    return { say: (message) => say(message), end };
  };
  return {
    report(done, total) {
      shown ??= show();
      shown.say(done < total ? `${done} of ${total} Python files read` : 'joining what was read');
    },
    end() {
      shown?.end();
      shown = undefined;
    },
  };
}
