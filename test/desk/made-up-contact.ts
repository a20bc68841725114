/** A box of contact messages in memory, for pages that are tried without a service. */

import type { OpenedContact, WaitingContact } from '#desk/office/contact-reader.ts';
import type { DeskOffice } from '#desk/office/office-client.ts';
import { OfficeFault } from '#desk/office/office-fault.ts';

interface MadeUpLetter extends WaitingContact {
  readonly content: OpenedContact;
}

export interface MadeUpContact extends Pick<DeskOffice, 'readContact' | 'openContact' | 'resolveContact'> {
  readonly letters: MadeUpLetter[];
  addLetter(id: string, content: OpenedContact): void;
}

const HOUR = 3_600_000;

export function createMadeUpContact(now: () => number): MadeUpContact {
  const letters: MadeUpLetter[] = [];
  const findPlace = (id: string) => {
    const place = letters.findIndex((letter) => letter.id === id);
    if (place < 0) throw new OfficeFault('refused', 'Somebody else has marked this message as done.');
    return place;
  };
  return {
    letters,
    addLetter: (id, content) => {
      const times = { receivedAt: now() - HOUR, purgeAt: now() + 90 * 24 * HOUR };
      letters.push({ id, ...times, sealedBy: 'browser', opened: null, content });
    },
    readContact: () => Promise.resolve({ messages: [...letters], next: null }),
    openContact: async (id) => {
      const place = findPlace(id);
      const letter = letters[place]!;
      letters[place] = { ...letter, opened: letter.content };
      return await Promise.resolve(letter.content);
    },
    resolveContact: async (id) => {
      letters.splice(findPlace(id), 1);
      await Promise.resolve();
    },
  };
}
