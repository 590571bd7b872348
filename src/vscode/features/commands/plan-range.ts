import type { AssistantSession } from '../../panel/session/assistant-session.ts';

/** Whether a page is free for something new: a run that goes on or was interrupted is shown instead. */
export async function isFree(session: AssistantSession): Promise<boolean> {
  await session.revived;
  const { run } = session.state;
  return !session.run.busy && !(run?.mode === 'run' && run.status === 'interrupted');
}

/** Chooses a range on a page and proves it if that is wanted; its plan is there at once. */
export async function planRange(
  session: AssistantSession,
  { from, to }: { readonly from: string; readonly to: string },
  then: 'plan' | 'prove',
): Promise<void> {
  await session.handle({ type: 'set-range', from, to });
  if (then === 'prove' && session.state.choose.valid) await session.handle({ type: 'prove' });
}
