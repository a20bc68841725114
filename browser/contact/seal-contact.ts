/** Seals a contact message to the desk and sends it. */
import { base64urlnopad } from '@scure/base';
import { createJsonRequest, sendRequest } from '#browser/rpc/service-requests.ts';
import type { ContactFormInput } from '#browser/workers/sealer-jobs.ts';
import { sealContactMessage, validateContactMessage } from '#seal/case/contact-message.ts';
import type { FormFault } from '#seal/form/form-fields.ts';
import { CONTACT_FIELDS, SEALED_CONTACT_PATH } from '#wire/contact-page.ts';
import type { SealedContactRequest } from '#wire/contact-requests.ts';

const FIELD_NAMES: readonly string[] = CONTACT_FIELDS;

export async function sendContactMessage({
  fields,
  desk,
  recipientSet,
}: ContactFormInput): Promise<readonly FormFault[]> {
  const entries = fields.filter(([name]) => FIELD_NAMES.includes(name));
  const checked = validateContactMessage(Object.fromEntries(entries));
  if ('errors' in checked)
    return checked.errors.map(({ pointer, said }) => ({ field: pointer.slice(1), message: said }));
  const sealed = await sealContactMessage(checked.message, desk);
  await sendRequest(
    SEALED_CONTACT_PATH,
    createJsonRequest({
      sealed: base64urlnopad.encode(sealed),
      sealing_set: recipientSet,
    } satisfies SealedContactRequest),
  );
  return [];
}
