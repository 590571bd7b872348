import { expect, test } from 'vitest';
import type { RangeView } from '../../../src/core/view/page/range/range-view.ts';
import type { RangeChoice } from '../../../src/vscode/host/workspace-api.ts';
import { firstFacts } from '../../../src/vscode/panel/facts/first-facts.ts';
import { firstOptions } from '../../../src/vscode/panel/facts/session-options.ts';
import type { SessionServices } from '../../../src/vscode/panel/facts/session-services.ts';
import { sessionStore } from '../../../src/vscode/panel/facts/session-store.ts';
import { sessionChoices } from '../../../src/vscode/panel/session/session-choices.ts';

test('two sides of a range that are typed before the page has heard back are both kept', async () => {
  const options = firstOptions(
    { concurrency: 1, compare: 'rows', shrinkPercent: undefined, earlyCutoff: true, keepBeforeDays: 30 },
    {},
  );
  const store = sessionStore(firstFacts('a.b', 'file:///dw', options), {
    slicesOf: () => [],
    isLeftOut: () => false,
    detail: (selected) => selected,
  });
  const open: { readonly asked: RangeChoice; answer(view: Partial<RangeView>): void }[] = [];
  const call = (_: string, asked: RangeChoice) =>
    new Promise((answer) => open.push({ asked, answer: (view) => answer({ downstream: [], ...view }) }));
  const services = { client: { call } } as unknown as SessionServices;
  const choices = sessionChoices(store, services, () => {});

  const both = [choices.setRange({ from: '2026-03-01' }), choices.setRange({ to: '2026-04-01' })];
  // The later question may be answered first.
  for (const { answer } of open.toReversed()) answer({ summary: 'seen' });
  await Promise.all(both);
  expect(open.at(-1)?.asked).toMatchObject({ from: '2026-03-01', to: '2026-04-01' });
  expect(store.state.choose).toMatchObject({ from: '2026-03-01', to: '2026-04-01', summary: 'seen' });
});
