/** Adopts the recipient set at a first start, and holds every instance to it; `keys reseal` changes it. */
import type { Config } from '#platform/config/config.ts';
import { readRecipientsFile } from '#platform/config/recipients.ts';
import { ServiceError } from '#platform/errors.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { isAgeRecipient } from '#seal/core/age.ts';
import type { CaseKeyRecipients } from '#seal/core/case-key.ts';
import { computeInvestigatorId } from '#seal/core/investigator-id.ts';
import type { Services } from '#services.ts';
import {
  findRecipientSet,
  insertRecipientSet,
  type RecipientSet,
  replaceRecipientSet,
} from '#store/keys/recipient-set.ts';
import type { Records } from '#store/schema/tables.ts';
import {
  computeRecipientSetTag,
  loadSealingKeys,
  readSealingKeys,
  type SealingKeys,
} from './sealing-keys.ts';

/** What the records store about a key, to report later who joined and who left. */
export interface RecipientSetMember {
  /** Null if the key was configured without a name. */
  readonly name: string | null;
  readonly role: string;
  /** SHA-256 of the public key. */
  readonly hash: string;
}

function listRecipientSetMembers(
  { desk, recovery }: CaseKeyRecipients,
  { people }: Pick<Config['seal'], 'people'>,
): RecipientSetMember[] {
  const named = people.map(({ name, role, recipient }) => ({
    name,
    role,
    hash: computeInvestigatorId(recipient),
  }));
  const unnamed = desk
    .filter((recipient) => !people.some((person) => person.recipient === recipient))
    .map((recipient) => ({ name: null, role: 'desk', hash: computeInvestigatorId(recipient) }));
  return [...named, ...unnamed, { name: null, role: 'recovery', hash: computeInvestigatorId(recovery) }];
}

export function buildRecipientSet(
  keys: CaseKeyRecipients,
  seal: Pick<Config['seal'], 'people'>,
): RecipientSet {
  return { tag: computeRecipientSetTag(keys), members: JSON.stringify(listRecipientSetMembers(keys, seal)) };
}

/** Not for sealing, which uses the keys of the configuration. Invalid members are left out. */
export function parseRecipientSetMembers(set: RecipientSet | undefined): RecipientSetMember[] {
  try {
    const members: unknown = JSON.parse(set?.members ?? '[]');
    return Array.isArray(members) ? members.filter(isMember) : [];
  } catch {
    return [];
  }
}

/** The hashes of the members who work at the desk. */
export function listSetInvestigators(set: RecipientSet | undefined): string[] {
  return parseRecipientSetMembers(set).flatMap(({ role, hash }) => (role === 'recovery' ? [] : [hash]));
}

function isMember(value: unknown): value is RecipientSetMember {
  const { name, role, hash } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return (
    (name === null || typeof name === 'string') &&
    typeof role === 'string' &&
    typeof hash === 'string' &&
    /^[\w-]{43}$/.test(hash)
  );
}

/** Ensures that nothing is sealed to keys that the other instances do not have. */
export async function loadSharedSealingKeys(
  services: Pick<Services, 'store'>,
  config: Config,
  isFirstStart: boolean,
): Promise<SealingKeys> {
  const keys = await (isFirstStart ? loadSealingKeys(config) : readSealingKeys(config));
  await adoptRecipientSet(services, keys, config.seal);
  return keys;
}

/** The first start adopts the set; later ones must have the same set. */
export async function adoptRecipientSet(
  { store }: Pick<Services, 'store'>,
  keys: CaseKeyRecipients,
  seal: Pick<Config['seal'], 'people'>,
): Promise<void> {
  const set = buildRecipientSet(keys, seal);
  const adopted = await store.transaction(async (records) => {
    await insertRecipientSet(records, set);
    const stored = await findRecipientSet(records);
    // Names may be configured later than the keys.
    if (stored?.tag === set.tag && stored.members !== set.members && seal.people.length > 0)
      await replaceRecipientSet(records, set.tag, set);
    return stored;
  });
  if (adopted?.tag !== set.tag) throw createOtherSetError();
}

export async function isRecipientSetAdopted(records: Records): Promise<boolean> {
  return (await findRecipientSet(records)) !== undefined;
}

/** For a command that seals to the keys of this machine's configuration. */
export async function requireSameRecipientSet(records: Records, keys: CaseKeyRecipients): Promise<void> {
  const adopted = await findRecipientSet(records);
  if (adopted && adopted.tag !== computeRecipientSetTag(keys)) throw createOtherSetError();
}

/**
 * Called in the transaction that stores something sealed: whatever was sealed to a previous set is either stored before
 * the change and resealed, or refused. `sealedTo` is null if the sender did not name the keys it sealed to, which is
 * required once the set has changed.
 */
export async function requireCurrentRecipientSet(
  records: Records,
  own: string,
  sealedTo: string | null,
): Promise<void> {
  const { changes } = await requireAdoptedSet(records, own);
  if (sealedTo === own || (sealedTo === null && changes === 0)) return;
  throw new ServiceError('sealing_keys_changed');
}

/** Refuses if the set was changed after this process read its configuration. */
export async function requireAdoptedSet(
  records: Records,
  own: string,
): Promise<NonNullable<Awaited<ReturnType<typeof findRecipientSet>>>> {
  const adopted = await findRecipientSet(records);
  if (adopted?.tag !== own) throw new ServiceError('sealing_keys_changing');
  return adopted;
}

function createOtherSetError(): ProgramError {
  return new ProgramError(
    'DESK_RECIPIENTS, RECOVERY_RECIPIENT: not the keys that the cases in these records are sealed to. If the team has changed, run bin/office keys reseal --key FILE. If not, correct the configuration',
    EXIT_CODES.config,
  );
}

/** Null while the file has mistakes. Variables, including the recovery key, stay as they were at the start. */
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
