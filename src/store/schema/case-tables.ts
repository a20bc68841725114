/** The types of the tables of cases, of what is sealed in them, and of contact messages. */
import type { CallState, CaseState, SealedBy } from '#wire/case-states.ts';
import type { AlertStage, SqlBoolean } from './column-values.ts';

export interface CaseTables {
  cases: {
    id: string;
    /** SHA-256 of the lookup token, which is derived from the words. */
    lookup_hash: string;
    /** HMAC of the client that submitted it, and of the person if it acted for one; null for one from the website. */
    owner: string | null;
    /** Lets a user who signs in with the words see the case; no row of the user has this value. */
    words_tag: string;
    tier: string;
    /** A purged case has no row here, only a tombstone. */
    state: CaseState;
    /** The call that a Dossier includes. */
    call: CallState;
    sealed_by: SealedBy;
    /** Days from delivery to purge. */
    keep_days: number;
    /** The longer retention before the desk shortened it; stored until the buyer chooses again. */
    shortened_from: number | null;
    terms_version: string;
    submitted_at: number;
    due_at: number;
    /** When an investigator first took it up or asked something; null before, and if it was answered at once. */
    taken_at: number | null;
    /** When the buyer could first read the finding; in the future while the delivery is on hold. */
    delivered_at: number | null;
    /** Until then the buyer sees nothing of the delivery, and the desk can take it back. */
    released_at: number | null;
    /** The state before the delivery, which the buyer sees until it is released. */
    state_on_hold: CaseState | null;
    /** The number of the current or next finding, raised by one whenever a finding is taken back. */
    finding_seq: number;
    /** Whether the buyer has fetched the finding; only for a count of all, so there is no time. */
    finding_opened: SqlBoolean;
    /** Null while the case is in progress. */
    purge_at: number | null;
    /** The purge date before the desk requested a purge; null if it has requested none. */
    kept_until: number | null;
    /** The investigator who requested it: the SHA-256 of their public key; null for the command line without a key. */
    purge_by: string | null;
    /** Set as the first step of a purge; cannot be undone. */
    purging: SqlBoolean;
    /** Number and id of the slot with the shred key; null on PostgreSQL, where the key is found by the case's id. */
    key_slot: number | null;
    shred_id: string | null;
    /** Since when a message of the buyer has no answer; null if the desk wrote last. */
    awaiting_reply_since: number | null;
    /** The tag of the recipient set that `case.key` is sealed to; null if unknown. */
    sealed_to: string | null;
    /** Names the row with the address for notices; null if the buyer left none. */
    notice_id: string | null;
    /** The assignee: the SHA-256 of their public key; null if unassigned. */
    assignee: string | null;
    /** The previous assignee, from whom it was taken over; stays when the case is unassigned. */
    taken_from: string | null;
    /** Who handed it to the assignee; null if the assignee took it. */
    handed_by: string | null;
    /** The last change that concerns the desk. */
    changed_at: number;
  };
  case_keys: {
    number: number;
    case_id: string;
    /** `case.key`, encrypted again with the case's shred key, which is stored elsewhere. */
    ciphertext: Uint8Array;
  };
  /** Where a buyer wants to be notified of news. Not in any backup. */
  notices: {
    id: string;
    /** The address and the language of the e-mails, encrypted. */
    address_ciphertext: Uint8Array;
    /** News up to this time was sent, or existed before the buyer requested e-mails. */
    told_at: number;
    /** The hour of the next e-mail; null while there is nothing to report. */
    due_at: number | null;
    /** Set by the purge of the case: the last e-mail is tried until then. */
    ends_at: number | null;
  };
  /** The last e-mail that alerted the desk to an open case; deleted with the case. */
  case_alerts: {
    case_id: string;
    stage: AlertStage;
    /** Several cases may share an e-mail. */
    email_id: string;
  };
  /** What remains of a purged case. */
  tombstones: {
    /** A new id, so that nothing leads back to the case. */
    id: string;
    tier: string;
    /** For example 2026-11. */
    month: string;
    outcome: CaseState;
    /** Lets the words find the purge date for a while; then null, like the next two columns. */
    lookup_hash: string | null;
    /** For example 2026-11-15. */
    purged_on: string | null;
    forget_at: number | null;
  };
  /** The number of purged cases of one kind. */
  case_counts: {
    /** The Monday of a week, such as 2026-11-09, or a month, such as 2026-11. */
    period: string;
    /** Such as `sent Trace`; see `week-counts.ts`. */
    what: string;
    counted: number;
  };
  /** A sealed object of a case, or an upload that is not yet part of a case. */
  objects: {
    number: number;
    id: string;
    /** Null until the upload becomes part of a case. */
    case_id: string | null;
    /**
     * HMAC of the payment or case that allows the upload; for a finding, `delivery` and the case; `discarded` for an
     * object that was removed from its case. Removed when the object is bound to its case, so that nothing leads back.
     */
    uploader: string | null;
    kind: string | null;
    seq: number | null;
    size: number | null;
    kept_at: number;
    /** For a message of the desk, its author and the salt, with a space between; null if unknown. */
    author: string | null;
    /** The first piece; null until it has arrived. */
    bytes: Uint8Array | null;
  };
  /** The pieces after the first. */
  object_pieces: {
    number: number;
    object_number: number;
    /** From 1. */
    piece: number;
    size: number;
    bytes: Uint8Array;
  };
  /** A payment to refund for a declined case; deleted once it is made, the decline is taken back, or it expires. */
  refunds: {
    id: string;
    /** Null once the case is purged. */
    case_id: string | null;
    /** Cut to the day. */
    purge_at: number;
    /** Whether it was restored from a backup: the refund may have been made since. */
    restored: SqlBoolean;
    /** Sealed to the people of the desk and the recovery key: no row says which payment belongs to which case. */
    sealed: Uint8Array;
  };
  contact_messages: {
    id: string;
    /** Sealed to the desk. */
    sealed: Uint8Array;
    sealed_by: SealedBy;
    received_at: number;
    /** When the desk closed the message. */
    done_at: number | null;
    purge_at: number;
  };
}
