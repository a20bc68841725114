/** Seals a message of either side and adds it to its case without the checks of a page or a desk. */
import { addCaseMessage, type SealedMessage } from '#cases/messages/messages.ts';
import { messageKinds } from '#seal/case/message.ts';
import type { CaseKey } from '#seal/core/case-key.ts';
import { sealEnvelope } from '#seal/core/envelope.ts';
import type { Services } from '#services.ts';
import type { Case } from '#store/cases/cases.ts';

export async function addSealedMessage(
  services: Pick<Services, 'clock' | 'store'>,
  { id, key }: { readonly id: string; readonly key: CaseKey },
  message: Omit<SealedMessage, 'sealed'>,
  body: object = { text: 'x', call_windows: [] },
): Promise<Case> {
  const { by, seq } = message;
  const sealed = await sealEnvelope(key, { kind: messageKinds[by], seq }, body);
  return await addCaseMessage(services, id, { ...message, sealed });
}
