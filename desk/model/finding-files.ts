/** The files to be delivered with a finding: kept in memory, so that no plaintext is on disk. */
import type { DeskAttachment } from '#desk/office/finding-sender.ts';
import { MAX_FILE_NAME_LENGTH } from '#seal/files/attached-file.ts';

export interface WaitingFile extends DeskAttachment {
  /** Unique while the desk is open. */
  readonly number: number;
}

/** Replaces characters that file names cannot have, so that names can be listed one per line. */
export function toWaitingName({ name }: Pick<File, 'name'>): string {
  return name.replace(/[/\\\p{Cc}]/gu, '_').slice(0, MAX_FILE_NAME_LENGTH) || 'file';
}

export function formatFileNames(names: readonly string[]): string {
  return [...new Set(names)].join('\n');
}

export function parseFileNames(text: string): readonly string[] {
  return text.split('\n').filter(Boolean);
}

export class FindingFiles {
  readonly #files = new Map<string, WaitingFile[]>();
  #last = 0;

  list(id: string): readonly WaitingFile[] {
    return this.#files.get(id) ?? [];
  }

  /** Browsers send an empty file field as a file without name and content. */
  add(id: string, files: readonly File[]): void {
    const chosen = files.filter(({ name, size }) => name !== '' || size > 0);
    const waiting = chosen.map((file) => {
      this.#last += 1;
      const { size } = file;
      return { number: this.#last, name: toWaitingName(file), size, content: () => file.stream() };
    });
    this.#files.set(id, [...this.list(id), ...waiting]);
  }

  remove(id: string, number: number): void {
    const others = this.list(id).filter((file) => file.number !== number);
    this.#files.set(id, others);
  }

  discard(id: string): void {
    this.#files.delete(id);
  }

  clear(): void {
    this.#files.clear();
  }
}
