/** The part of the desk that unlocks it, for a scripted office. */
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DeskUnlocker } from '#desk/desk-unlocker.ts';
import { DeskLock } from '#desk/loopback/desk-lock.ts';
import type { DeskWork } from '#desk/model/desk-work.ts';
import { parseOfficeAddress } from '#desk/office/office-address.ts';
import type { ScriptedOffice } from './scripted-office.ts';

export async function createUnlocker(
  office: ScriptedOffice,
  {
    keyText = `${office.key.identity}\n`,
    readSteadyClock,
  }: { keyText?: string; readSteadyClock?: () => number } = {},
) {
  const folder = dirname(office.key.path);
  const [keyPath, caPath] = [join(folder, 'desk.key'), join(folder, 'office.crt')];
  await writeFile(keyPath, keyText, { mode: 0o600 });
  await writeFile(caPath, office.ca);
  const lock = new DeskLock<DeskWork>();
  const settings = {
    address: parseOfficeAddress(office.origin)!,
    trust: { caPath },
    connect: null,
    keyPath,
    outFolder: null,
    templatesFolder: null,
    isNumeric: false,
    isRootAllowed: false,
  };
  return { lock, unlocker: new DeskUnlocker(settings, lock, readSteadyClock) };
}
