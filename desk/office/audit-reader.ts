/** Reads the audit log from the office, and checks that it continues from the head that this desk remembers. */
import type { PinFile } from '#desk/keys/pin-file.ts';
import { type RememberedKind, readRemembered, saveRemembered } from '#desk/keys/remembered-file.ts';
import {
  type AuditHead,
  advanceAuditHead,
  FIRST_AUDIT_HEAD,
  formatAuditHead,
  hashAuditEntry,
  parseAuditHead,
} from '#seal/core/audit-chain.ts';
import { nameCase } from '#wire/case-name.ts';
import { matchesSchema } from '#wire/checked-value.ts';
import {
  type DeskAudit,
  DeskAuditSchema,
  type DeskAuditText,
  DeskAuditTextSchema,
} from '#wire/desk-audit.ts';
import { OfficeFault, withLocalFaults } from './office-fault.ts';
import type { OfficeSigner } from './office-session.ts';

const AUDIT: RememberedKind = {
  ending: 'audit',
  format: 'inquiry-office audit 1',
  loss: 'the desk then accepts the audit log as it is.',
};

export interface AuditWarning {
  /** Whole sentences. */
  readonly text: string;
  /** A restore from a backup has the same effect, so it can be accepted. */
  readonly mayBeRestored: boolean;
}

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
      const known = await withLocalFaults(() => readRemembered<string>(key, AUDIT, origin));
      const seen = known === null ? null : parseAuditHead(known);
      const fault = (await this.#walk(page.head, seen)) ?? this.#findPageFault(page.entries);
      // The next read starts over, and finds the same fault.
      if (fault) this.#forget();
      else if (this.#checked.number > (seen?.number ?? 0)) await this.#save();
      const found = fault ?? (await this.#findEmptied(page.entries));
      const entries = page.entries.map(
        ({ number, entry }): AuditLine => ({ number, said: parseEntry(entry), isEmptied: entry === null }),
      );
      const last = entries.at(-1)?.number ?? 0;
      return {
        entries,
        older: last > 1 ? last : null,
        total: page.head.number,
        checked: this.#checked.number,
        head: formatAuditHead(page.head),
        fault: found,
      };
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
    return await this.#parts.signer.read(DeskAuditSchema, `/audit${search}`, MAX_AUDIT_BYTES);
  }

  async #save(): Promise<void> {
    const { key, origin } = this.#parts;
    const head = formatAuditHead(this.#checked);
    await withLocalFaults(() => saveRemembered(key, AUDIT, origin, head));
  }

  #forget(): void {
    this.#checked = FIRST_AUDIT_HEAD;
    this.#hashes.clear();
    this.#cases.clear();
  }

  async #walk(head: AuditHead, seen: AuditHead | null): Promise<AuditWarning | null> {
    const last = Math.max(seen?.number ?? 0, this.#checked.number);
    if (last > head.number)
      return warnOfOtherLog(
        `The log is shorter than when this desk last looked: entry ${last} is no longer there.`,
      );
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
    const number = emptied.map((each) => each.number).find((each) => living.has(this.#cases.get(each)!));
    if (number === undefined) return null;
    const name = nameCase(this.#cases.get(number)!);
    return {
      text: `Entry ${number} was emptied as if by a purge, but its case, ${name}, still exists. The records were tampered with: ask the operator.`,
      mayBeRestored: false,
    };
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

/** A restore from a backup has the same effect, so these can be accepted. */
function warnOfOtherLog(fact: string): AuditWarning {
  return {
    text: `${fact} A restore from a backup can cause this. If nothing was restored, the records were tampered with: ask the operator.`,
    mayBeRestored: true,
  };
}

function warnOfRewrittenLog(number: number): AuditWarning {
  return warnOfOtherLog(
    `The log has changed since this desk last saw it: its entries up to ${number} are different.`,
  );
}

function warnOfBrokenChain(number: number): AuditWarning {
  return {
    text: `The hash chain breaks at entry ${number}: that entry, or one before it, was changed, moved or removed after it was written. A restore cannot cause this: ask the operator.`,
    mayBeRestored: false,
  };
}
