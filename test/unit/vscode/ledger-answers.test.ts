import { expect, test } from 'vitest';
import { type ConnectionLedger, ledgerAnswers } from '../../../src/vscode/features/home/ledger-answers.ts';

const silent = (message: string, wantsPassword: boolean): ConnectionLedger => ({
  connection: 'office',
  kind: 'silent',
  message,
  wantsPassword,
});
const wanted = silent('The server asks for a password.', true);
const wrong = silent('password authentication failed', true);
const away = silent('connection refused', false);
const known: ConnectionLedger = { connection: 'office', kind: 'known', states: [], runs: [] };

/** What stands after one question behind the other. */
function said(...steps: readonly (readonly [ledger: ConnectionLedger, question: 'aloud' | 'quiet'])[]) {
  const answers = ledgerAnswers();
  for (const [ledger, question] of steps) answers.question('office', question === 'aloud')(ledger);
  return answers.of('office');
}

test('a wrong password stays said, whatever quiet questions come before, meanwhile and behind', () => {
  expect(said([wanted, 'quiet'], [wrong, 'aloud'])).toBe(wrong);
  expect(said([wrong, 'aloud'], [wanted, 'quiet'])).toBe(wrong);
  expect(said([wanted, 'quiet'], [wrong, 'aloud'], [wanted, 'quiet'], [wanted, 'quiet'])).toBe(wrong);
  // Begun while somebody typed, and answered first.
  const answers = ledgerAnswers();
  answers.question('office', false)(wanted);
  const aloud = answers.question('office', true);
  answers.question('office', false)(wanted);
  aloud(wrong);
  expect(answers.of('office')).toBe(wrong);
  expect(answers.isLocked('office')).toBe(true);
});

test('what is known or gone meanwhile takes its place, and so does the next typed password', () => {
  for (const news of [known, away]) {
    expect(said([wrong, 'aloud'], [news, 'quiet'])).toBe(news);
    expect(said([wrong, 'aloud'], [news, 'aloud'])).toBe(news);
  }
  const typedAgain = silent('password authentication failed again', true);
  expect(said([wrong, 'aloud'], [typedAgain, 'aloud'])).toBe(typedAgain);
  expect(said([known, 'quiet'], [wanted, 'quiet'])).toBe(wanted);
});

test('the answer of an older question never takes the place of a newer one, nor of another ledger', () => {
  const answers = ledgerAnswers();
  const older = answers.question('office', false);
  const newer = answers.question('office', false);
  const elsewhere = answers.question('home', false);
  newer(known);
  older(away);
  elsewhere({ ...away, connection: 'home' });
  expect(answers.of('office')).toBe(known);
  expect(answers.of('home')).toEqual({ ...away, connection: 'home' });
  expect(answers.isLocked('home')).toBe(false);
});

test('of another server nothing is known by what the one of before has said, or still says', () => {
  const answers = ledgerAnswers();
  answers.question('office', true)(wrong);
  const late = answers.question('office', false);
  answers.forget('office');
  late(known);
  expect(answers.of('office')).toBeUndefined();
  expect(answers.isLocked('office')).toBe(false);
  answers.question('office', false)(wanted);
  expect(answers.of('office')).toBe(wanted);
});
