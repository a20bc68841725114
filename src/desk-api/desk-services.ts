/** The context of the desk API: the services, the people of the configuration, and some of its settings. */
import { listDeskPeople } from '#cases/desk/desk-people.ts';
import type { Config } from '#platform/config/config.ts';
import { MINUTE_MS } from '#platform/durations.ts';
import { createLazy } from '#platform/lazy.ts';
import type { Services } from '#services.ts';
import type { DeskPersonView } from '#wire/desk-session.ts';

export interface DeskServices extends Services {
  readonly deskPeople: () => Promise<readonly DeskPersonView[]>;
  /** True if no real payments are made here. */
  readonly isTest: boolean;
  /** The configured recipients, and the path of their file, which may have changed since the start. */
  readonly seal: Config['seal'];
  /** How long a finding or a decline can be taken back. */
  readonly undoMs: number;
}

export function toDeskServices(services: Services, config: Config): DeskServices {
  return {
    ...services,
    deskPeople: createLazy(() => listDeskPeople(services, config.seal)),
    seal: config.seal,
    isTest: !config.production,
    undoMs: config.deliveryUndoMinutes * MINUTE_MS,
  };
}
