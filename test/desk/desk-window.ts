/** The desk's own pages over a service that runs in the test, and a browser that enters them. */
import type { Page } from 'playwright-core';
import { loadDeskAssets } from '#desk/loopback/desk-assets.ts';
import { DeskLock } from '#desk/loopback/desk-lock.ts';
import { DeskEntry } from '#desk/loopback/entry.ts';
import type { UnlockedDesk } from '#desk/loopback/page-route.ts';
import { type KeepForm, type LoopbackParts, startLoopbackServer } from '#desk/loopback/server.ts';
import { DeskWork } from '#desk/model/desk-work.ts';
import type { DeskOffice } from '#desk/office/office-client.ts';
import { deskRoutes } from '#desk/pages/routes.ts';
import type { CleanupScope } from '#test/cleanup.ts';

export interface DeskWindow {
  readonly origin: string;
  readonly enter: (page: Page) => Promise<void>;
}

export async function startDeskWindow(t: CleanupScope, office: DeskOffice): Promise<DeskWindow> {
  const { server, entry, lock } = await startDeskPages(async () => null);
  t.after(() => server.close());
  lock.hold(new DeskWork({ office, outFolder: null, templatesFolder: null }));
  const { origin } = server;
  return {
    origin,
    enter: async (page) => {
      await page.goto(`${origin}/enter/${entry.makeSecret()}`);
      await page.waitForURL(`${origin}/queue`);
    },
  };
}

/** Locked, until the lock holds a desk. */
export async function startDeskPages(keepForm: KeepForm) {
  const [entry, lock] = [new DeskEntry(), new DeskLock<DeskWork>({})];
  const onError = (error: unknown) => {
    throw error;
  };
  const server = await startTestServer({ routes: deskRoutes, entry, lock, keepForm, onError });
  return { server, entry, lock };
}

export async function startTestServer<Desk extends UnlockedDesk>(
  parts: Pick<LoopbackParts<Desk>, 'routes' | 'entry' | 'lock' | 'onError'> & Partial<LoopbackParts<Desk>>,
) {
  return await startLoopbackServer<Desk>({
    assets: await loadDeskAssets(),
    hostName: 'desk-5a6b7c8d.localhost',
    describeLocked: () => LOCKED,
    unlock: async () => 'Press Enter in the terminal where the desk runs.',
    keepForm: async () => null,
    onEnter: () => {},
    ...parts,
  });
}

export const LOCKED = { keyName: 'sam.key', hasPassphrase: true, office: 'office.example', versions: '' };
