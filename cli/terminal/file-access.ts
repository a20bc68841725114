/** Explains why this user may not use a file: an unreachable one is not reported as missing. */
import { accessSync, statSync } from 'node:fs';
import { readErrorCode } from '#platform/error-code.ts';

/** Returns null if the access is allowed. A file in a folder that cannot be entered does not count as missing. */
export function explainAccess(path: string, mode: number): { isMissing: boolean; text: string } | null {
  try {
    accessSync(path, mode);
    return null;
  } catch (error) {
    const code = readErrorCode(error);
    return { isMissing: code === 'ENOENT', text: formatAccessFault(path, code, findOwner(path)) };
  }
}

/** Returns null if the owner is unknown, or is this user. */
function findOwner(path: string): number | null {
  try {
    const { uid } = statSync(path);
    return uid === process.getuid?.() ? null : uid;
  } catch {
    return null;
  }
}

export function formatAccessFault(path: string, code: string, owner: number | null): string {
  if (code === 'ENOENT') return `${path} does not exist; check DATA_DIR.`;
  const fault = `This user lacks read or write access to ${path} (${code})`;
  if (code === 'EROFS')
    return `${fault}: the disk is mounted read-only. Find out why (dmesg), then remount it.`;
  if (owner === null) return `${fault}: run the command as the user of the service.`;
  return `${fault}, which belongs to user ${owner}: run the command as the user of the service. If you already do, make the user of the service its owner with chown.`;
}
