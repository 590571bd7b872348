import { setFlagsFromString } from 'node:v8';
import { expect, test, vi } from 'vitest';
import { optimizeLater } from '../../../src/cli/terminal/optimize-later.ts';

vi.mock('node:v8', () => ({ setFlagsFromString: vi.fn() }));

test('a V8 that does not know the setting is not given it: it would print an error with every command', () => {
  optimizeLater('13.6.233.17-node.44');
  optimizeLater('12.4.254.21-node.33');
  expect(setFlagsFromString).not.toHaveBeenCalled();
  optimizeLater('11.3.244.8-node.33');
  expect(setFlagsFromString).toHaveBeenCalledOnce();
});
