/** Says when and on what kind of machine something was measured, without its name. */
import { arch, availableParallelism, cpus, platform, totalmem } from 'node:os';

const GIB = 1_073_741_824;

export function describeMachine(): string {
  const model = cpus()[0]?.model.replaceAll(/\s+/g, ' ').trim() || 'unknown processor';
  const memory = Math.round(totalmem() / GIB);
  return `${model}, ${arch()}, ${availableParallelism()} cores, ${memory} GiB, ${platform()}, Node ${process.version}`;
}

/** Such as 2026-11-15 23:50 UTC. */
export function formatRunTime(now: Date): string {
  return `${now.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
