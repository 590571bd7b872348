import { expect, test, vi } from 'vitest';
import { keepCompiled } from '../../../src/cli/terminal/keep-compiled.ts';

test('a Node that cannot keep what it compiled is not asked to, nor is that an error', () => {
  const enableCompileCache = vi.fn();
  keepCompiled({ enableCompileCache });
  expect(enableCompileCache).toHaveBeenCalledOnce();
  expect(() => keepCompiled({})).not.toThrow();
});
