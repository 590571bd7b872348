import * as nodeModule from 'node:module';

/**
 * Has Node keep what it compiles of the files that are loaded from here on, in its own folder among the temporary ones, so that
 * the next command does not compile them again. Node 20 cannot; `NODE_DISABLE_COMPILE_CACHE` turns it off.
 */
export function keepCompiled(node: object = nodeModule): void {
  const { enableCompileCache }: { readonly enableCompileCache?: () => unknown } = node;
  enableCompileCache?.();
}
