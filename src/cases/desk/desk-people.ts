/** Who works at the desk: the investigators of the configuration, each identified by the hash of their public key. */
import type { Config } from '#platform/config/config.ts';
import { computeInvestigatorId } from '#seal/core/investigator-id.ts';
import type { Services } from '#services.ts';
import type { RecipientSet } from '#store/keys/recipient-set.ts';
import type { DeskPersonView } from '#wire/desk-session.ts';
import { parseRecipientSetMembers } from '../sealing/recipient-set.ts';
import type { SealingKeys } from '../sealing/sealing-keys.ts';

/** A key without a name belongs to the operator. */
const UNNAMED_ROLE = 'owner';

/** Names and roles come only from the configuration. */
export async function listDeskPeople(
  { sealingKeys }: Pick<Services, 'sealingKeys'>,
  { people }: Pick<Config['seal'], 'people'>,
): Promise<DeskPersonView[]> {
  const { desk } = await sealingKeys;
  return desk.map((recipient) => {
    const { name = null, role = UNNAMED_ROLE } =
      people.find((person) => person.recipient === recipient) ?? {};
    return { holder: computeInvestigatorId(recipient), name, role, recipient };
  });
}

/** A person removed by `keys reseal` loses access at once, even if an instance still has the previous configuration. */
export function isInRecipientSet(
  adopted: RecipientSet | undefined,
  { set }: Pick<SealingKeys, 'set'>,
  investigator: string,
): boolean {
  if (adopted?.tag === set) return true;
  return parseRecipientSetMembers(adopted).some(
    ({ role, hash }) => role !== 'recovery' && hash === investigator,
  );
}
