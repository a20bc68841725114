/** A start that is refused, in the test's own process: the error has the one line that the program prints. */
import assert from 'node:assert/strict';
import { systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config/config.ts';
import { ProgramError } from '#platform/exit-codes.ts';
import { loadCertificate } from '#platform/http/certificate.ts';
import { openLog } from '#platform/log.ts';
import { startService } from '#service.ts';
import type { CleanupScope } from '#test/cleanup.ts';
import { createDataFolder } from '#test/data-folder.ts';
import { findFreePorts } from '#test/ports.ts';

/** Returns what was logged before the refusal. */
export async function assertStartRefused(
  t: CleanupScope,
  env: Record<string, string>,
  exitCode: number,
  reason: string | RegExp,
): Promise<string> {
  const [port = 0, httpPort = 0] = await findFreePorts(2);
  const defaults = { PORT: String(port), HTTP_PORT: String(httpPort), DATA_DIR: await createDataFolder(t) };
  const lines: string[] = [];
  const log = openLog({ write: (line) => void lines.push(line) });
  const config = readConfig({ ...defaults, ...env });
  const starting = async () =>
    await startService({ config, certificate: await loadCertificate(config, systemClock), log });
  await assert.rejects(starting, (error) => {
    assert.ok(error instanceof ProgramError, String(error));
    assert.equal(error.exitCode, exitCode, error.message);
    if (typeof reason === 'string') assert.ok(error.message.includes(reason), error.message);
    else assert.match(error.message, reason);
    assert.ok(!error.message.includes('\n'), 'one line');
    return true;
  });
  return lines.join('');
}
