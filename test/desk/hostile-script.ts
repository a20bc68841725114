/** Lies for a scripted office, and what must be true after each of them. */
import assert from 'node:assert/strict';
import type { OfficeFaultCode } from '#desk/office/office-fault.ts';
import type { ReceivedRequest, ScriptedAnswer, ScriptedOffice } from './scripted-office.ts';

/** Answers one path with `answer`, and is honest otherwise. */
export function answerAt(
  path: RegExp,
  answer: (request: ReceivedRequest) => ScriptedAnswer | Promise<ScriptedAnswer> | null,
) {
  return (request: ReceivedRequest) =>
    path.test(`${request.method} ${request.path}`) ? answer(request) : null;
}

export async function assertFault(
  work: Promise<unknown>,
  code: OfficeFaultCode,
  text: RegExp,
): Promise<void> {
  await assert.rejects(work, (error: { name: string; code: string; message: string }) => {
    assert.deepEqual([error.name, error.code], ['OfficeFault', code], error.message);
    assert.match(error.message, text);
    return true;
  });
}

/** The office has received no key and nothing that was opened. */
export function assertNothingTold({ received, uploaded, key }: ScriptedOffice): void {
  const all = `${JSON.stringify(received)}${[...uploaded.values()].map(String).join('')}`;
  assert.ok(!all.includes('CANARY'));
  assert.ok(!all.includes(key.identity));
}

export function listPaths({ received }: ScriptedOffice): string[] {
  return received.map(({ method, path }) => `${method} ${path}`);
}

export const CHALLENGES = /^POST \/challenges$/;
export const SESSIONS = /^POST \/sessions$/;
export const QUEUE = /^GET \/cases$/;
