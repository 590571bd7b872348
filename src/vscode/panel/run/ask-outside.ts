import type { OutsideQuestions } from '../../host/run-api.ts';
import type { SessionServices } from '../facts/session-services.ts';

/**
 * Has a preview or proof made. Where a task of it does what no rollback takes back, it is asked about before anything runs,
 * each by itself, and those that nobody wants are refused.
 */
export async function askOutside<Answer extends { readonly kind: string }>(
  { confirmOutside }: Pick<SessionServices, 'confirmOutside'>,
  make: (irrevocable: readonly string[] | undefined) => Promise<Answer | OutsideQuestions>,
): Promise<Answer> {
  const answer = await make(undefined);
  if (!isQuestion(answer)) return answer;
  const wanted: string[] = [];
  for (const { task, question } of answer.tasks) if (await confirmOutside(question)) wanted.push(task);
  const made = await make(wanted);
  if (isQuestion(made)) throw new Error('it was asked once more what was answered');
  return made;
}

const isQuestion = (answer: { readonly kind: string }): answer is OutsideQuestions => answer.kind === 'asks';
