/** What commands may ask of whoever has the cases: the database beside them, or an office over the network. */
import type { UnsentFinding } from '#cases/delivery.ts';
import type { DeskCounts, QueuedCase } from '#cases/desk-queue.ts';
import type { SealedMessage } from '#cases/messages.ts';
import type { SealedNote } from '#cases/notes.ts';
import type { SealedCase } from '#cases/sealed-case.ts';
import { OfficeFault } from '#desk-program/office/office.ts';
import { ServiceError } from '#platform/errors.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import type { PageRequest } from '#platform/page-cursor.ts';
import { PROGRAM_NAME } from '#platform/program-name.ts';
import type { AgeRecipient } from '#seal/age.ts';
import type { Case } from '#store/cases.ts';
import type { CaseChoice } from '#store/desk-queue.ts';
import type { StoredObject } from '#store/objects.ts';
import type { DeskActRequest } from '#wire/desk-cases.ts';
import { CommandFailure } from './failure.ts';
import { formatHolder, type HolderNames } from './holder-name.ts';

export type CaseAct = DeskActRequest['act'];

export interface CaseSource {
  /** Over the network: then what it says is compared with what this key has seen. */
  readonly isOffice: boolean;
  /** Null without a key: then nobody asks who has a case. */
  readonly investigator: string | null;
  readonly names: HolderNames;
  /** Of whoever has the cases. */
  readonly now: () => number;
  /** By its id, the beginning of its id, or its name. */
  readonly requireCase: (operand: string | undefined) => Promise<Case>;
  /** Whatever its date: one that is past it may wait for a clock that is in doubt. */
  readonly requireCaseToPurge: CaseSource['requireCase'];
  /** The earliest due first. */
  readonly listCases: (choice: CaseChoice, page: PageRequest) => Promise<readonly ListedCase[]>;
  readonly countViews: () => Promise<DeskCounts>;
  readonly listObjects: (id: string) => Promise<readonly StoredObject[]>;
  /** Leaves an entry in the audit log. */
  readonly readCase: (record: Case) => Promise<SealedCase>;
  readonly act: (id: string, act: Exclude<CaseAct, 'purge_now'>) => Promise<Case>;
  /** Owners, and a command beside the database without a key. */
  readonly mayPurgeNow: () => Promise<boolean>;
  readonly purgeNow: (id: string) => Promise<void>;
  readonly write: (id: string, message: SealedMessage) => Promise<Case>;
  /** `atOnce` is without the time in which it can be taken back. */
  readonly deliver: (
    record: Case,
    delivery: {
      readonly finding: Uint8Array;
      readonly files: UnsentFinding['files'];
      readonly atOnce: boolean;
    },
  ) => Promise<Case>;
  /** Whom a note is sealed to. Somebody whom the key does not know is asked about, unless that is confirmed already. */
  readonly readNoteReaders: (isConfirmed: boolean) => Promise<readonly AgeRecipient[]>;
  readonly addNote: (id: string, note: SealedNote) => Promise<void>;
}

export type ListedCase = Pick<QueuedCase, 'record' | 'messages'>;

/** Says who has the case, where the rules only say that somebody else has. */
export async function withHolderNamed<Result>(
  { requireCase, names }: Pick<CaseSource, 'requireCase' | 'names'>,
  id: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (readRefusal(error) !== 'case_held') throw error;
    const { holder } = await requireCase(id);
    const name = holder === null ? 'Somebody else' : formatHolder(holder, names);
    throw new CommandFailure(
      `${name} has this case, so nothing was done. To take it over: ${PROGRAM_NAME} cases take-over ${id} --key FILE`,
      EXIT_CODES.failure,
      error,
    );
  }
}

/** Why a source refused something, in the same words for both; undefined for other errors. */
export function readRefusal(error: unknown): string | undefined {
  return error instanceof ServiceError || error instanceof OfficeFault ? error.code : undefined;
}
