/** Contact messages: in the database beside a command, or at an office over the network. */
import { resolveContactMessages, resolveOpenContactMessages } from '#cases/contact.ts';
import { createContactOffice, fetchContactPage } from '#desk-program/office/contact-reader.ts';
import { walkPages } from '#desk-program/office/page-walk.ts';
import { ServiceError } from '#platform/errors.ts';
import { encodePageCursor, type PageRequest } from '#platform/page-cursor.ts';
import {
  findContactMessage,
  listOpenContactMessageIds,
  listOpenContactMessages,
} from '#store/contact-messages.ts';
import type { DeskContact } from '#wire/desk-office.ts';
import { type CliServices, withStore } from './cli-services.ts';
import { type OfficeLink, withOfficeLink } from './office-link.ts';
import type { DeskAccess } from './pinning-key.ts';
import { terminalSafe } from './terminal-text.ts';

export interface ContactLetter {
  readonly id: string;
  readonly sealed_by: string;
  readonly received_at: number;
  readonly done_at: number | null;
  /** Null if the office has not told it. */
  readonly purge_at: number | null;
  readonly sealed: Uint8Array;
}

export interface ContactSource {
  /** What nobody has handled, the oldest first. */
  readonly listLetters: (page: PageRequest) => Promise<readonly ContactLetter[]>;
  readonly requireLetter: (id: string) => Promise<ContactLetter>;
  readonly listOpenIds: () => Promise<readonly string[]>;
  /** All or none in the database; one by one at an office. */
  readonly resolve: (ids: readonly string[]) => Promise<readonly ContactLetter[]>;
  /** Returns how many were still open. */
  readonly resolveOpen: (ids: readonly string[]) => Promise<number>;
}

/** Fifty thousand messages; an office that goes on after that has no end. */
const MAX_PAGES = 1_000;

export async function withContactSource<Result>(
  access: DeskAccess | null,
  work: (source: ContactSource) => Promise<Result>,
): Promise<Result> {
  if (access?.office)
    return await withOfficeLink({ ...access, office: access.office }, (link) => work(createOfficeBox(link)));
  return await withStore((services) => work(createStoredBox(services)));
}

function createStoredBox(services: CliServices): ContactSource {
  const { records } = services.store;
  const requireLetter = async (id: string) => {
    const record = await findContactMessage(records, id);
    if (!record) throw new ServiceError('not_found');
    return record;
  };
  return {
    listLetters: (page) => listOpenContactMessages(records, page),
    requireLetter,
    listOpenIds: () => listOpenContactMessageIds(records),
    resolve: async (ids) => {
      await resolveContactMessages(services, ids, null);
      return await Promise.all(ids.map(requireLetter));
    },
    resolveOpen: (ids) => resolveOpenContactMessages(services, ids, null),
  };
}

function createOfficeBox(link: OfficeLink): ContactSource {
  const office = createContactOffice({ ...link, letters: new Map() });
  const requireLetter = async (id: string) => {
    for await (const letter of walkBox(link)) if (letter.id === id) return letter;
    throw new ServiceError('not_found');
  };
  const readOpenLetters = async () =>
    new Map((await Array.fromAsync(walkBox(link))).map((letter) => [letter.id, letter]));
  const resolve = async (ids: readonly string[]) => {
    // First, so that a mistyped one stops the command before it changes anything.
    const open = await readOpenLetters();
    const letters = ids.map((id) => open.get(id));
    if (letters.includes(undefined)) throw new ServiceError('not_found');
    for (const id of ids) await office.resolveContact(id);
    return letters.flatMap((letter) => letter ?? []).map((letter) => ({ ...letter, purge_at: null }));
  };
  return {
    listLetters: async ({ limit, after }) => {
      const letters: ContactLetter[] = [];
      for await (const letter of walkBox(link, after && encodePageCursor(after))) {
        letters.push(letter);
        if (letters.length >= limit) break;
      }
      return letters;
    },
    requireLetter,
    listOpenIds: async () => [...(await readOpenLetters()).keys()],
    resolve,
    resolveOpen: async (ids) => {
      const open = await readOpenLetters();
      return (await resolve(ids.filter((id) => open.has(id)))).length;
    },
  };
}

async function* walkBox({ signer }: OfficeLink, start?: string): AsyncGenerator<ContactLetter> {
  const walk = { list: 'list of contact messages', maxPages: MAX_PAGES, start };
  for await (const { messages } of walkPages(walk, (after) => fetchContactPage(signer, after)))
    yield* messages.map(toLetter);
}

function toLetter(message: DeskContact['messages'][number]): ContactLetter {
  return {
    id: message.id,
    sealed_by: terminalSafe.line(message.sealed_by),
    received_at: Date.parse(message.received_at),
    done_at: null,
    purge_at: Date.parse(message.purge_at),
    sealed: Buffer.from(message.sealed, 'base64url'),
  };
}
