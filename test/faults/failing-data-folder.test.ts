/** A data folder that fails under a running service: readiness reports it, reads go on, and the service recovers. */

import assert from 'node:assert/strict';
import { appendFileSync, chmodSync, chownSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readErrorCode } from '#platform/error-code.ts';
import { postRegistration, sampleRegistration } from '#test/agents/sample-registration.ts';
import { createDataFolder } from '#test/data-folder.ts';
import { waitUntil } from '#test/patience.ts';
import { findFreePorts } from '#test/ports.ts';
import { isLongRun } from '#test/scale.ts';
import { type ServiceProcess, startOffice, startServiceProcess } from '#test/service-process.ts';
import { createMountedDisk } from '#test/small-disk.ts';

const MIB = 1024 ** 2;
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
/** Drops the rights of root, which may write everywhere. */
const BECOME_NOBODY = `--import data:text/javascript,process.setgroups([]);process.setgid(${NOBODY});process.setuid(${NOBODY})`;

test('a disk that fills up under a running service makes it unready, and ready again when there is room', async (t) => {
  const disk = await createMountedDisk(t, 40 * MIB);
  if (!disk) return t.skip('mounting is not permitted');
  const [metricsPort = 0] = await findFreePorts(1);
  const env = {
    DATA_DIR: disk.folder,
    SWEEP_SECONDS: '1',
    METRICS_PORT: String(metricsPort),
    RATE_LIMIT: 'off',
  };
  const service = await startServiceProcess(t, env);
  await waitForReadiness(service, 200);
  const filler = join(disk.folder, 'filler');
  // Repeated, because a write-ahead log that the service empties meanwhile frees some room.
  const filling = setInterval(() => fillWholeDisk(filler), 100);
  t.after(() => clearInterval(filling));
  await waitForReadiness(service, 503);
  const reason = /"name":"writes","ok":false,"age_seconds":\d+,"reason":"SQLITE_(?:FULL|IOERR:\d+)"/;
  // On a slow machine the service may be unready earlier, for want of a recent write.
  await waitUntil('the reason is told', async () =>
    reason.test(await (await fetch(`http://127.0.0.1:${metricsPort}/ready`)).text()),
  );
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const [, free = ''] = /^office_disk_free_bytes (\d+)$/m.exec(metrics) ?? [];
  assert.ok(free !== '' && Number(free) < 4 * MIB, free);
  assert.equal((await service.get('/')).status, 200);
  assert.equal((await postRegistration(service.get, sampleRegistration)).status, 503);
  clearInterval(filling);
  rmSync(filler);
  await waitForReadiness(service, 200);
  assert.equal((await postRegistration(service.get, sampleRegistration)).status, 202);
});

if (isLongRun)
  test('a data folder that becomes read-only after the start changes nothing until the next start', async (t) => {
    const dataDir = await createDataFolder(t);
    const listPaths = () => [
      dataDir,
      ...readdirSync(dataDir, { recursive: true }).map((name) => join(dataDir, String(name))),
    ];
    if (isRoot) for (const path of listPaths()) chownSync(path, NOBODY, NOBODY);
    const env = {
      DATA_DIR: dataDir,
      SWEEP_SECONDS: '1',
      RATE_LIMIT: 'off',
      ...(isRoot && { NODE_OPTIONS: BECOME_NOBODY }),
    };
    const service = await startServiceProcess(t, env);
    await waitForReadiness(service, 200);
    for (const path of listPaths().toReversed())
      chmodSync(path, statSync(path).isDirectory() ? 0o500 : 0o400);
    await sleep(2_500);
    await waitForReadiness(service, 200);
    assert.equal((await postRegistration(service.get, sampleRegistration)).status, 202);
    service.process.kill('SIGTERM');
    assert.equal(await service.ended, 0);
    const refused = startOffice(t, ['serve'], { ...env, PORT: String(service.port), HTTP_PORT: 'off' });
    assert.equal(await refused.ended, 74, refused.readOutput());
    assert.match(refused.readOutput(), /^Cannot start: cannot open .*shred\.keys: EACCES$/m);
  });

async function waitForReadiness({ get }: ServiceProcess, status: number): Promise<void> {
  await waitUntil(`readiness is ${status}`, async () => {
    const answer = await get('/api/ready', { once: true });
    return answer.status === status;
  });
}

function fillWholeDisk(path: string): void {
  try {
    for (;;) appendFileSync(path, Buffer.alloc(64 * 1024));
  } catch (error) {
    assert.equal(readErrorCode(error), 'ENOSPC');
  }
}
