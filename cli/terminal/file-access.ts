/** Whether this user may use a file, in words: a file that cannot be reached is not one that is not there. */
import { accessSync } from 'node:fs';
import { readErrorCode } from '#platform/error-code.ts';

interface AccessFault {
  readonly isMissing: boolean;
  readonly text: string;
}

/** Null if this user may use the file as asked. A file in a folder that cannot be entered is not taken for missing. */
export function explainAccess(path: string, mode: number): AccessFault | null {
  try {
    accessSync(path, mode);
    return null;
  } catch (error) {
    const code = readErrorCode(error);
    const isMissing = code === 'ENOENT';
    return {
      isMissing,
      text: isMissing
        ? `${path} is not there; check DATA_DIR.`
        : `This user cannot read and write ${path} (${code}); run the command as the user of the service.`,
    };
  }
}
