/** Counts how often a program has its writes put on the disk, where `strace` exists and may trace. */
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';

export const SYNC_TRACER = 'strace';
export const NO_SYNC_TRACER = `not measured: ${SYNC_TRACER} is missing, or may not trace here`;

export function canTraceSyncs(): boolean {
  return spawnSync(SYNC_TRACER, [...toTracerArguments('/dev/null'), 'true']).status === 0;
}

export function toTracerArguments(file: string): string[] {
  return ['-f', '-qq', '-e', 'trace=fsync,fdatasync', '-o', file];
}

/** A call during which another thread was scheduled has a second line, without the parenthesis. */
export function countTracedSyncs(trace: string): number {
  return trace.match(/\bf(?:data)?sync\(/g)?.length ?? 0;
}

export async function readSyncCount(file: string): Promise<number> {
  return countTracedSyncs(await readFile(file, 'utf8'));
}
