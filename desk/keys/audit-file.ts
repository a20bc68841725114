/** The file beside a desk key that remembers how far an office's audit log went when this desk last checked it. */
import { type AuditHead, formatAuditHead, parseAuditHead } from '#seal/core/audit-chain.ts';
import type { PinFile } from './pin-file.ts';
import { type RememberedKind, readRemembered, saveRemembered } from './remembered-file.ts';

const AUDIT: RememberedKind = {
  ending: 'audit',
  format: 'inquiry-office audit 1',
  loss: 'the desk then takes the audit log as it finds it.',
};

/** Null before the first look. */
export async function readSeenHead(key: PinFile, origin: string): Promise<AuditHead | null> {
  const text = await readRemembered<string>(key, AUDIT, origin);
  return text === null ? null : parseAuditHead(text);
}

export async function saveSeenHead(key: PinFile, origin: string, head: AuditHead): Promise<void> {
  await saveRemembered<string>(key, AUDIT, origin, () => formatAuditHead(head));
}
