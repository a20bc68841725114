/** A case that a command works on: opened with the desk key, in the database or at an office over the network. */
import type { DecryptedCase } from '#cases/decrypted-case.ts';
import type { UnsentFinding } from '#cases/delivery.ts';
import type { SealedMessage } from '#cases/messages.ts';
import type { SealedCase } from '#cases/sealed-case.ts';
import type { CaseMessage, DeskMessageAct } from '#seal/message.ts';
import { sealDeskMessage } from '#seal/sealed-message.ts';
import type { Case } from '#store/cases.ts';
import type { CaseSource } from './case-source.ts';
import { withCaseSource } from './chosen-source.ts';
import type { HolderNames } from './holder-name.ts';
import { openPinnedCase, requireGenuineInquiry } from './pinned-case.ts';
import type { DeskAccess } from './pinning-key.ts';
import { countLostMessages, requireNothingLost } from './seen-option.ts';

export interface CaseWorkspace {
  readonly file: SealedCase;
  readonly opened: DecryptedCase;
  readonly names: HolderNames;
  /** How many messages of the buyer this key has seen that are not there any more. */
  readonly lost: number;
  readonly now: () => number;
  /** Whether the buyer can read a finding. */
  readonly isReleased: boolean;
  /** Throws unless the inquiry opens under the same key, and nothing is lost; so does what writes. */
  readonly requireWritable: () => void;
  readonly write: (message: SealedMessage) => Promise<Case>;
  readonly deliver: (finding: Uint8Array, files: UnsentFinding['files'], atOnce: boolean) => Promise<Case>;
}

export async function withCaseWorkspace<Result>(
  id: string | undefined,
  desk: DeskAccess,
  work: (workspace: CaseWorkspace, source: CaseSource) => Promise<Result>,
): Promise<Result> {
  return await withCaseSource(desk, async (source) => {
    const record = await source.requireCase(id);
    return await work(await openCaseWorkspace(source, record, desk), source);
  });
}

export async function openCaseWorkspace(
  source: CaseSource,
  record: Case,
  desk: DeskAccess,
): Promise<CaseWorkspace> {
  const { id } = record;
  const file = await source.readCase(record);
  const opened = await openPinnedCase(file, desk);
  // Beside the database nobody stands between the records and the command.
  const lost = source.isOffice ? await countLostMessages(desk, opened) : 0;
  const requireWritable = () => {
    requireGenuineInquiry(opened);
    requireNothingLost(lost, desk);
  };
  return {
    file,
    opened,
    lost,
    isReleased: (record.delivered_at ?? Infinity) <= source.now(),
    names: source.names,
    now: source.now,
    requireWritable,
    write: async (message) => {
      requireWritable();
      return await source.write(id, message);
    },
    deliver: async (finding, files, atOnce) => {
      requireWritable();
      return await source.deliver(file.record, { finding, files, atOnce });
    },
  };
}

/** Sealed with what it means, as the next message of the desk. */
export async function sealReply(
  { opened, isReleased }: Pick<CaseWorkspace, 'opened' | 'isReleased'>,
  meaning: {
    readonly message: CaseMessage;
    readonly act: DeskMessageAct;
    readonly keepDays?: number;
    readonly seen: number;
  },
): Promise<Pick<SealedMessage, 'by' | 'seq' | 'sealed'>> {
  const { key, record } = opened;
  const { seq, sealed } = await sealDeskMessage(key, opened, {
    ...meaning,
    findingSeq: record.finding_seq,
    isReleased,
  });
  return { by: 'desk', seq, sealed };
}
