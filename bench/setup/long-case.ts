/** A case with many messages of both sides that a desk key opens. */
import { hash } from 'node:crypto';
import { addCaseMessage } from '#cases/messages.ts';
import { loadSealingKeys } from '#cases/sealing-keys.ts';
import { systemClock as clock } from '#platform/clock.ts';
import { readConfig } from '#platform/config.ts';
import { type CaseActor, type CaseMessage, validateCaseMessage } from '#seal/message.ts';
import { sealCaseMessage } from '#seal/sealed-message.ts';
import type { ThreadPart } from '#seal/thread.ts';
import { insertPlantedCase } from '#test/desk/planted-case.ts';
import type { BenchOffice } from './office.ts';

const SIDES = ['buyer', 'desk'] as const satisfies readonly CaseActor[];
const TEXT = 'A paragraph of a letter that says what somebody has found. '.repeat(10).trim();

/** Returns its id. The sides write in turns, and each has read all before. */
export async function insertLongCase({ store, env }: BenchOffice, count: number): Promise<string> {
  const sealingKeys = loadSealingKeys(readConfig(env));
  const { id, key } = await insertPlantedCase({ store, services: { sealingKeys } });
  const parts: ThreadPart[] = [];
  const message = createSampleMessage();
  for (let number = 0; number < count; number += 1) {
    const by = SIDES[number % SIDES.length] ?? 'buyer';
    const { seq, sealed } = await sealCaseMessage(key, parts, { by, message });
    await addCaseMessage({ clock, store }, id, { by, seq, sealed });
    parts.push({ by, seq, hash: hash('sha256', sealed, 'buffer'), claim: 'unlinked' });
  }
  return id;
}

function createSampleMessage(): CaseMessage {
  const result = validateCaseMessage({ text: TEXT, call_windows: [] });
  if ('message' in result) return result.message;
  throw new Error('the sample is no message');
}
