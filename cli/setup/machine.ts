/** Reads what the setup needs of the machine: files below the root, users, and whose program listens on a port. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FileAccess } from '#platform/atomic-file.ts';
import { createReadError, EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';

/** proc(5): TCP_LISTEN. */
const LISTENING = '0A';

/** Returns null if the file does not exist. */
export function readTarget(root: string, path: string): string | null {
  const place = join(root, path);
  if (!existsSync(place)) return null;
  try {
    return readFileSync(place, 'utf8');
  } catch (error) {
    throw createReadError(place, error);
  }
}

export type SystemUser = Pick<FileAccess, 'uid' | 'gid'>;

/** Returns null for an unknown user. Refuses one with a shared group, such as nogroup: it could read the secrets. */
export function findSystemUser(root: string, name: string): SystemUser | null {
  const [, , uid, gid] = findAccount(root, '/etc/passwd', name);
  if (uid === undefined || gid === undefined) return null;
  const [, , ownGroup] = findAccount(root, '/etc/group', name);
  if (gid === ownGroup) return { uid: Number(uid), gid: Number(gid) };
  const make = ownGroup === undefined ? `groupadd --system ${name} && ` : '';
  throw new ProgramError(
    `The primary group of the user ${name} is not ${name}, the group that may read the secrets: ${make}usermod --gid ${name} ${name}`,
    EXIT_CODES.config,
  );
}

function findAccount(root: string, file: string, name: string): string[] {
  const lines = readTarget(root, file)?.split('\n') ?? [];
  return lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
}

export function getOwnUser(): SystemUser {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}

/** The first other user with a program that listens on the port; null if there is none. */
export function findPortUser(root: string, port: number, own: SystemUser): number | null {
  const sockets = ['tcp', 'tcp6'].flatMap(
    (table) => readTarget(root, `/proc/net/${table}`)?.split('\n') ?? [],
  );
  for (const socket of sockets) {
    const [, address = '', , state, , , , uid] = socket.trim().split(/\s+/);
    const isIt = state === LISTENING && Number.parseInt(address.split(':')[1] ?? '', 16) === port;
    if (isIt && Number(uid) !== own.uid) return Number(uid);
  }
  return null;
}
