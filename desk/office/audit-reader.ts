/** Reads the audit log from the office, and checks that it continues from the head that this desk remembers. */
import type { PinFile } from '#desk/keys/pin-file.ts';
import {
  type AuditHead,
  advanceAuditHead,
  FIRST_AUDIT_HEAD,
  formatAuditHead,
  hashAuditEntry,
  parseAuditHead,
} from '#seal/core/audit-chain.ts';
import { matchesSchema } from '#wire/checked-value.ts';
import {
  type DeskAudit,
  DeskAuditSchema,
  type DeskAuditText,
  DeskAuditTextSchema,
} from '#wire/desk-audit.ts';
import { type RememberedKind, readRemembered, saveRemembered } from '../keys/remembered-file.ts';
import {
  type AuditWarning,
  warnOfBrokenChain,
  warnOfEmptiedEntry,
  warnOfRewrittenLog,
  warnOfShorterLog,
} from './audit-faults.ts';
import { OfficeFault, withLocalFaults } from './office-fault.ts';
import type { OfficeSigner } from './office-session.ts';

const AUDIT: RememberedKind = {
  ending: 'audit',
  format: 'inquiry-office audit 1',
  loss: 'the desk then accepts the audit log as it is.',
};

export interface OfficeAudit {
  readonly entries: readonly AuditLine[];
  /** Older entries come before this number; null if there are none. */
  readonly older: number | null;
  /** How many entries there are, and how many of them are verified. */
  readonly total: number;
  readonly checked: number;
  /** In the format of `audit verify`. */
  readonly head: string;
  readonly fault: AuditWarning | null;
}

export interface AuditLine {
  readonly number: number;
  /** Null if it was deleted together with its subject, or cannot be read. */
  readonly said: DeskAuditText | null;
  readonly isEmptied: boolean;
}

export interface AuditReaderParts {
  readonly signer: OfficeSigner;
  readonly key: PinFile;
  readonly origin: string;
  /** Lists the cases that the office has now. */
  readonly listLivingCases: () => Promise<ReadonlySet<string>>;
}

type SealedEntry = DeskAudit['entries'][number];

/** Room for two hundred entries with their salts. */
const MAX_AUDIT_BYTES = 512 * 1024;
/** Twenty thousand entries per read; the next read continues there. */
const MAX_STEPS = 100;

export class AuditReader {
  readonly #parts: AuditReaderParts;
  /** The last entry that this run has verified. */
  #checked: AuditHead = FIRST_AUDIT_HEAD;
  /** The hash of each verified entry, by its number. */
  readonly #hashes = new Map<number, string>();
  readonly #cases = new Map<number, string>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: AuditReaderParts) {
    this.#parts = parts;
  }

  async read(before?: number): Promise<OfficeAudit> {
    return await this.#takeTurn(async () => {
      const { key, origin } = this.#parts;
      const page = await this.#fetch(before === undefined ? '' : `?before=${before}`);
      const seen = await withLocalFaults(() => readSeenHead(key, origin));
      const fault = (await this.#walk(page.head, seen)) ?? this.#findPageFault(page.entries);
      // The next read starts over, and finds the same fault.
      if (fault) this.#forget();
      else if (this.#checked.number > (seen?.number ?? 0)) await this.#save();
      const found = fault ?? (await this.#findEmptied(page.entries));
      return toOfficeAudit(page, { checked: this.#checked.number, fault: found });
    });
  }

  /** The chain must be valid, and lead through the head that the investigator has seen. */
  async accept(shown: string): Promise<void> {
    await this.#takeTurn(async () => {
      this.#forget();
      const { head } = await this.#fetch('');
      const accepted = parseAuditHead(shown);
      const fault = accepted ? await this.#walk(head, accepted) : warnOfRewrittenLog(head.number);
      if (fault || !accepted || this.#checked.number < accepted.number)
        throw new OfficeFault('refused', 'The log has changed again in the meantime. Check it again.');
      await this.#save();
    });
  }

  /** Concurrent pages must not mix their state. */
  async #takeTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#turn.then(work, work);
    this.#turn = turn;
    return await turn;
  }

  async #fetch(search: string): Promise<DeskAudit> {
    const path = `/audit${search}`;
    return await this.#parts.signer.ask(DeskAuditSchema, { method: 'GET', path, maxBytes: MAX_AUDIT_BYTES });
  }

  async #save(): Promise<void> {
    const { key, origin } = this.#parts;
    await withLocalFaults(() => saveSeenHead(key, origin, this.#checked));
  }

  #forget(): void {
    this.#checked = FIRST_AUDIT_HEAD;
    this.#hashes.clear();
    this.#cases.clear();
  }

  async #walk(head: AuditHead, seen: AuditHead | null): Promise<AuditWarning | null> {
    const last = Math.max(seen?.number ?? 0, this.#checked.number);
    if (last > head.number) return warnOfShorterLog(last);
    for (let steps = 0; this.#checked.number < head.number && steps < MAX_STEPS; steps += 1) {
      const { entries } = await this.#fetch(`?after=${this.#checked.number}`);
      if (entries.length === 0) return warnOfBrokenChain(this.#checked.number + 1);
      for (const entry of entries) {
        // The remaining entries were added after the head was read.
        if (this.#checked.number === head.number) break;
        if (entry.number !== this.#checked.number + 1 || !isWholeEntry(entry))
          return warnOfBrokenChain(entry.number);
        this.#checked = advanceAuditHead(this.#checked, entry.entry_hash);
        this.#remember(entry);
        if (seen?.number === entry.number && seen.hash !== this.#checked.hash)
          return warnOfRewrittenLog(entry.number);
      }
    }
    const isAtEnd = this.#checked.number === head.number;
    return isAtEnd && this.#checked.hash !== head.hash ? warnOfRewrittenLog(head.number) : null;
  }

  #remember({ number, entry_hash: hash, entry }: SealedEntry): void {
    this.#hashes.set(number, hash);
    const caseId = parseEntry(entry)?.case;
    if (caseId !== undefined) this.#cases.set(number, caseId);
  }

  #findPageFault(entries: readonly SealedEntry[]): AuditWarning | null {
    const first = entries[0]?.number ?? 0;
    for (const [index, entry] of entries.entries()) {
      if (entry.number !== first - index || !isWholeEntry(entry)) return warnOfBrokenChain(entry.number);
      if ((this.#hashes.get(entry.number) ?? entry.entry_hash) !== entry.entry_hash)
        return warnOfRewrittenLog(entry.number);
    }
    return null;
  }

  /** The cases are fetched after the entries, so that a case purged in between is not reported as a fault. */
  async #findEmptied(entries: readonly SealedEntry[]): Promise<AuditWarning | null> {
    const emptied = entries.filter(({ number, entry }) => entry === null && this.#cases.has(number));
    if (emptied.length === 0) return null;
    const living = await this.#parts.listLivingCases();
    const found = emptied.find(({ number }) => living.has(this.#cases.get(number)!));
    return found ? warnOfEmptiedEntry(found.number, this.#cases.get(found.number)!) : null;
  }
}

function isWholeEntry({ salt, entry, entry_hash: hash }: SealedEntry): boolean {
  if (salt === null || entry === null) return salt === entry;
  return hashAuditEntry(salt, entry) === hash;
}

/** Null for an entry of another shape, because an attacker who can write the records can write anything there. */
function parseEntry(entry: string | null): DeskAuditText | null {
  try {
    const value: unknown = JSON.parse(entry ?? 'null');
    return matchesSchema(DeskAuditTextSchema, value) ? value : null;
  } catch {
    return null;
  }
}

function toOfficeAudit(
  { entries, head }: DeskAudit,
  found: Pick<OfficeAudit, 'checked' | 'fault'>,
): OfficeAudit {
  const lines = entries.map(
    ({ number, entry }): AuditLine => ({ number, said: parseEntry(entry), isEmptied: entry === null }),
  );
  const last = lines.at(-1)?.number ?? 0;
  return {
    entries: lines,
    older: last > 1 ? last : null,
    total: head.number,
    head: formatAuditHead(head),
    ...found,
  };
}

/** Null before the first read. */
async function readSeenHead(key: PinFile, origin: string): Promise<AuditHead | null> {
  const text = await readRemembered<string>(key, AUDIT, origin);
  return text === null ? null : parseAuditHead(text);
}

async function saveSeenHead(key: PinFile, origin: string, head: AuditHead): Promise<void> {
  await saveRemembered<string>(key, AUDIT, origin, () => formatAuditHead(head));
}
