/** The recipient set that the configuration names at this moment: the file of recipients may have changed since the start. */
import type { Config } from '#platform/config/config.ts';
import { readRecipientsFile } from '#platform/config/recipients.ts';
import { isAgeRecipient } from '#seal/core/age.ts';
import type { Services } from '#services.ts';
import type { RecipientSet } from '#store/keys/recipient-set.ts';
import { buildRecipientSet } from './recipient-set.ts';

/** Null while the file has mistakes. Variables, and with them the recovery key, stay as they were at the start. */
export async function readConfiguredSet(
  { sealingKeys }: Pick<Services, 'sealingKeys'>,
  { people, file }: Pick<Config['seal'], 'people' | 'file'>,
): Promise<RecipientSet | null> {
  const keys = await sealingKeys;
  if (file === null) return buildRecipientSet(keys, { people });
  const read = readRecipientsFile(file);
  const desk = read.people.map(({ recipient }) => recipient);
  if (read.mistakes.length > 0 || !desk.every(isAgeRecipient)) return null;
  return buildRecipientSet({ desk, recovery: keys.recovery }, read);
}
