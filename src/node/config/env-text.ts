/** A text of `backfill.yaml` that may name environment variables: `${env:NAME}`. Looked up only when it is needed. */
export interface EnvText {
  readonly source: string;
  readonly names: readonly string[];
}

const reference = /\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g;

export function envText(source: string): { readonly value: EnvText } | { readonly wrong: string } {
  const rest = source.replace(reference, '');
  if (/\$\{/.test(rest)) {
    return { wrong: `only \${env:NAME} is understood between \${ and }` };
  }
  return { value: { source, names: [...source.matchAll(reference)].map((match) => match[1] as string) } };
}

/** The text with the environment's values, or the names that are not set. */
export function resolveEnvText(
  { source, names }: EnvText,
  env: Readonly<Record<string, string | undefined>>,
): { readonly value: string } | { readonly missing: readonly string[] } {
  const missing = names.filter((name) => env[name] === undefined);
  if (missing.length > 0) return { missing };
  return { value: source.replace(reference, (_, name: string) => env[name] ?? '') };
}
