/** Drafts as the pages of the desk use them: typed text is merged into the stored draft, one change at a time. */
import { isDeepStrictEqual } from 'node:util';
import {
  type CaseDraft,
  type DraftFields,
  type DraftTimes,
  deleteCaseTexts,
  deleteDraft,
  deleteUnsent,
  openUnsent,
  readDraft,
  readDraftTimes,
  saveDraft,
  toDraftFolder,
} from '#desk/keys/draft-file.ts';
import {
  type DraftKind,
  dropFields,
  dropSent,
  mergeDraft,
  mergeGiven,
  mergeUnsent,
} from '#desk/keys/merged-draft.ts';
import type { PinFile } from '#desk/keys/pin-file.ts';
import { withFileLock } from '#platform/file-lock.ts';
import { withLocalFaults } from './office-fault.ts';

export class CaseDrafts {
  readonly #key: PinFile;
  #last: Promise<unknown> = Promise.resolve();

  constructor(key: PinFile) {
    this.#key = key;
  }

  async read(id: string): Promise<DraftFields | null> {
    return await withLocalFaults(() => readDraft(this.#key, id));
  }

  async readTimes(): Promise<DraftTimes> {
    return await withLocalFaults(() => readDraftTimes(this.#key));
  }

  async save(id: string, typed: DraftFields): Promise<void> {
    await this.#update(id, (stored) => mergeDraft(stored, typed));
  }

  /** Saves an answer that is about to be taken back. */
  async saveGiven(id: string, kind: DraftKind, given: DraftFields): Promise<void> {
    await this.#update(id, (stored) => mergeGiven(stored, kind, given));
  }

  /** A draft that does not open is left alone. */
  async drop(id: string, names: readonly string[]): Promise<void> {
    await this.#update(id, (stored) => dropFields(stored, names)).catch(() => undefined);
  }

  /** A draft that does not open is left alone. */
  async dropSent(id: string, kind: DraftKind, sent: string): Promise<void> {
    await this.#update(id, (stored) => dropSent(stored, kind, sent)).catch(() => undefined);
  }

  async delete(id: string): Promise<void> {
    await withLocalFaults(() => deleteCaseTexts(this.#key, id));
  }

  /** Merges texts that were posted while the desk was locked into the drafts. */
  async takeUnsent(): Promise<readonly CaseDraft[]> {
    const taken: CaseDraft[] = [];
    for (const unsent of await openUnsent(this.#key)) {
      const { caseId, fields } = unsent;
      try {
        await this.#update(caseId, (stored) => mergeUnsent(stored, fields));
      } catch {
        // The text stays in its file until the next unlock.
        continue;
      }
      await deleteUnsent(unsent);
      taken.push(unsent);
    }
    return taken;
  }

  /** Two pages, or a page and a command, may save at the same time; each must see the other's changes. */
  async #update(id: string, change: (stored: DraftFields) => DraftFields): Promise<void> {
    const key = this.#key;
    const updating = this.#last.then(() =>
      withLocalFaults(() =>
        withFileLock(`${toDraftFolder(key)}.lock`, async () => {
          const stored = await readDraft(key, id);
          const changed = change(stored ?? {});
          // Saving it again would make it look newly written.
          if (isDeepStrictEqual(changed, stored)) return;
          if (Object.keys(changed).length > 0) await saveDraft(key, id, changed);
          else if (stored) await deleteDraft(key, id);
        }),
      ),
    );
    this.#last = updating.catch(() => undefined);
    await updating;
  }
}
