/** A box of contact messages in memory, for pages that are tried without a service. */

import type { OpenedContact, WaitingContact } from '#desk/office/contact-reader.ts';
import type { DeskOffice } from '#desk/office/office-client.ts';
import { OfficeFault } from '#desk/office/office-fault.ts';

interface MadeUpMessage extends WaitingContact {
  readonly content: OpenedContact;
}

export interface MadeUpContact extends Pick<DeskOffice, 'readContact' | 'openContact' | 'resolveContact'> {
  readonly contactMessages: MadeUpMessage[];
  addContactMessage(id: string, content: OpenedContact): void;
}

const HOUR = 3_600_000;

export function createMadeUpContact(now: () => number): MadeUpContact {
  const messages: MadeUpMessage[] = [];
  const findPlace = (id: string) => {
    const place = messages.findIndex((message) => message.id === id);
    if (place < 0) throw new OfficeFault('refused', 'A colleague has already marked this message as done.');
    return place;
  };
  return {
    contactMessages: messages,
    addContactMessage: (id, content) => {
      const times = { receivedAt: now() - HOUR, purgeAt: now() + 90 * 24 * HOUR };
      messages.push({ id, ...times, sealedBy: 'browser', opened: null, content });
    },
    readContact: () => Promise.resolve({ messages: [...messages], next: null }),
    openContact: async (id) => {
      const place = findPlace(id);
      const message = messages[place]!;
      messages[place] = { ...message, opened: message.content };
      return await Promise.resolve(message.content);
    },
    resolveContact: async (id) => {
      messages.splice(findPlace(id), 1);
      await Promise.resolve();
    },
  };
}
