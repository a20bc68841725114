/** The files that go with a finding once it is delivered: in memory, nothing plain on disk. */
import type { DeskAttachment } from '#desk-program/office/office.ts';
import { MAX_FILE_NAME_LENGTH } from '#seal/attached-file.ts';

export interface WaitingFile extends DeskAttachment {
  /** Of its own as long as the desk is open. */
  readonly number: number;
}

export class FindingFiles {
  readonly #files = new Map<string, WaitingFile[]>();
  #last = 0;

  list(id: string): readonly WaitingFile[] {
    return this.#files.get(id) ?? [];
  }

  /** A field without a file is sent as one without name and content. */
  add(id: string, files: readonly File[]): void {
    const waiting = files
      .filter(({ name, size }) => name !== '' || size > 0)
      .map((file) => {
        this.#last += 1;
        const name = file.name.replace(/[/\\\p{Cc}]/gu, '_').slice(0, MAX_FILE_NAME_LENGTH) || 'file';
        return { number: this.#last, name, size: file.size, content: () => file.stream() };
      });
    this.#files.set(id, [...this.list(id), ...waiting]);
  }

  remove(id: string, number: number): void {
    this.#files.set(
      id,
      this.list(id).filter((file) => file.number !== number),
    );
  }

  discard(id: string): void {
    this.#files.delete(id);
  }

  clear(): void {
    this.#files.clear();
  }
}
