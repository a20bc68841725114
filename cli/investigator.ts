/** Who gives a command, told by their desk key. */
import { type AgeIdentity, deriveRecipient } from '#seal/age.ts';
import { computeHolder } from '#seal/holder.ts';

export const investigatorHelp = ['--key FILE', 'your private key: the case is then yours'] as const;

export async function deriveInvestigator(identity: AgeIdentity): Promise<string> {
  return computeHolder(await deriveRecipient(identity));
}
