import * as vscode from 'vscode';

/** Passwords and tokens in the system's secret store, by key. */
export interface KeptSecrets {
  get(key: string): Promise<string | undefined>;
  forget(key: string): Promise<void>;
  /**
   * Does work that may need a secret: with `first`, or else with what is kept. Where `refusal` tells why that was not taken,
   * asks for it once, does the work again, and keeps what was taken.
   */
  use<T>(
    secret: { readonly key: string; readonly title: string; readonly first: string | undefined },
    work: (secret: string | undefined) => Promise<T>,
    refusal: (answer: T) => string | undefined,
  ): Promise<T>;
}

export function keptSecrets(secrets: vscode.SecretStorage): KeptSecrets {
  /** A second box would close the first one, and its answer be lost: all who need one secret wait for one box. */
  const asked = new Map<string, Promise<string | undefined>>();
  const ask = (key: string, title: string, why: string): Promise<string | undefined> => {
    const answer = asked.get(key) ?? askSecret(title, why).finally(() => asked.delete(key));
    asked.set(key, answer);
    return answer;
  };
  const get = async (key: string): Promise<string | undefined> => secrets.get(key);
  return {
    get,
    async forget(key) {
      await secrets.delete(key);
    },
    async use({ key, title, first }, work, refusal) {
      const used = first ?? (await get(key));
      let answer = await work(used);
      let why = refusal(answer);
      if (why === undefined) return answer;
      // Somebody else may have been asked for it meanwhile.
      const known = await get(key);
      if (known !== undefined && known !== used) {
        answer = await work(known);
        why = refusal(answer);
        if (why === undefined) return answer;
      }
      const secret = await ask(key, title, why);
      if (secret === undefined) return answer;
      const again = await work(secret);
      if (refusal(again) === undefined) await secrets.store(key, secret);
      return again;
    },
  };
}

const askSecret = async (title: string, why: string): Promise<string | undefined> =>
  vscode.window.showInputBox({
    title,
    prompt: `${why.replace(/\.$/, '')}. It is kept in this machine's secret store, never in a file of the workspace.`,
    password: true,
    ignoreFocusOut: true,
  });
