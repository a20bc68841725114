/** The sections of sealing.md about keys: age files, the twelve words, the key of a case. */
import type { PublicAddresses } from '#platform/addresses.ts';
import {
  computeSealedSize,
  IDENTITY_PREFIX,
  IDENTITY_SEED_BYTES,
  RECIPIENT_BYTES,
  RECIPIENT_PREFIX,
} from '#seal/age.ts';
import { CASE_MAC_BYTES } from '#seal/case-key.ts';
import { serializeHeader } from '#seal/header.ts';
import { caseLabels, wordsLabels } from '#seal/labels.ts';
import { computeWordListHash } from '#seal/word-list.ts';
import { LOOKUP_TOKEN_BYTES, WORD_COUNT } from '#seal/words.ts';

export function formatAgeSection(): string {
  const tagBytes = 16;
  const fixed = computeSealedSize(0, 0) - tagBytes;
  const each = computeSealedSize(0, 1) - computeSealedSize(0, 0);
  return `## 1. age files

Everything sealed is an [age v1](https://c2sp.org/age) file, binary and not armored, with post-quantum recipients
(\`mlkem768x25519\`) and no others. A library that knows recipients \`${RECIPIENT_PREFIX}1…\` does all of this section: age 1.3 or
later, [typage](https://www.npmjs.com/package/age-encryption) 0.3 or later. Never mix in another type of recipient.

- **Identity** (secret): ${IDENTITY_SEED_BYTES} bytes, the seed, as Bech32 (BIP 173, checksum constant 1) with the prefix
  \`${IDENTITY_PREFIX}\`, in capitals: \`${IDENTITY_PREFIX}1…\`.
- **Recipient** (public): ${RECIPIENT_BYTES} bytes as Bech32 with the prefix \`${RECIPIENT_PREFIX}\`, in small letters and without the limit of
  90 characters: \`${RECIPIENT_PREFIX}1…\`.
- **Key pair**: SHAKE-256 of the seed gives 96 bytes: the seed of an ML-KEM-768 key pair (64 bytes, d and z of FIPS 203)
  and an X25519 private key (32 bytes). The recipient is the ML-KEM public key (1184 bytes) and the X25519 public key
  (32 bytes).
- **Encapsulation** (X-Wing): encapsulate to the ML-KEM key for \`ct_m\` (1088 bytes) and \`ss_m\`; draw an ephemeral X25519 key,
  \`ct_x\` is its public key and \`ss_x\` the shared secret. The encapsulated key is \`ct_m\`, \`ct_x\` (1120 bytes); the shared
  secret is SHA3-256 of \`ss_m\`, \`ss_x\`, \`ct_x\`, the X25519 public key of the recipient, and the six bytes
  \`5c 2e 2f 2f 5e 5c\`.
- **Stanza**: \`-> mlkem768x25519 \` and the encapsulated key, a line feed, the sealed file key, a line feed. Both are
  base64 (the usual alphabet) without padding. The file key, 16 random bytes, is sealed by HPKE in base mode (RFC 9180):
  KEM 0x647a with the shared secret above, KDF HKDF-SHA-256 (0x0001), AEAD ChaCha20-Poly1305 (0x0003), info
  \`age-encryption.org/mlkem768x25519\`, no additional data, the first message: 32 bytes. Spelled out, with + for one after the
  other and \`suite\` = \`HPKE\` + \`64 7a 00 01 00 03\`:
  - extract(salt, label, ikm) = HKDF-Extract(salt, \`HPKE-v1\` + suite + label + ikm)
  - expand(prk, label, info, n) = HKDF-Expand(prk, n as 2 bytes, big-endian + \`HPKE-v1\` + suite + label + info, n bytes)
  - context = the byte 0 + extract(empty, \`psk_id_hash\`, empty) + extract(empty, \`info_hash\`, the info above)
  - secret = extract(shared secret, \`secret\`, empty)
  - key = expand(secret, \`key\`, context, 32), nonce = expand(secret, \`base_nonce\`, context, 12)
- **Header**: the line \`age-encryption.org/v1\`, one stanza for each recipient, then \`---\`, a blank, and the MAC in base64 on one
  line. The MAC is HMAC-SHA-256 of all before that blank, the three hyphens included, with the key HKDF-SHA-256 (input: file
  key, empty salt, info \`header\`, 32 bytes). Lines end with a line feed alone.
- **Payload**: 16 random bytes, the nonce; then the plain bytes in chunks of 64 KiB, each sealed by ChaCha20-Poly1305 with
  the key HKDF-SHA-256 (input: file key, salt: nonce, info \`payload\`, 32 bytes). The nonce of a chunk is its number from 0 as
  11 bytes, big-endian, and one byte that is 1 for the last chunk and 0 for all others. Only the last chunk may be shorter, and
  it is empty only if everything is.

So a sealed file has ${fixed} + ${each} × recipients + ${tagBytes} × chunks bytes more than what is in it. Where a length is checked, no other is
accepted: write stanzas exactly like this, and add none.
`;
}

export function formatWordsSection(): string {
  const { salt, identity, lookupToken } = wordsLabels;
  return `## 2. The words, and what comes from them

Whoever sends an inquiry makes ${WORD_COUNT === 12 ? 'twelve' : WORD_COUNT} words: 16 random bytes as a BIP 39 mnemonic in English. They open the case, on
the site too. The word list is the one of BIP 39: its words, each with a line feed, have the SHA-256
\`${computeWordListHash()}\`. Use the 16 bytes themselves (the entropy), not the seed that BIP 39 derives with PBKDF2. With
HKDF-SHA-256 (RFC 5869), these as the input and the salt \`${salt}\`:

| info | bytes | gives |
|---|---|---|
| \`${identity}\` | ${IDENTITY_SEED_BYTES} | the seed of the words' identity, and with it their recipient |
| \`${lookupToken}\` | ${LOOKUP_TOKEN_BYTES} | the lookup token, which finds the case; never send it to the API |

\`lookup_hash\` is SHA-256 of the ${LOOKUP_TOKEN_BYTES} bytes of the lookup token, as base64url without padding (43 characters). It is the
name of the case in everything sealed. A program that nobody will follow on the site may instead draw any identity and
any ${LOOKUP_TOKEN_BYTES} random bytes. Either way the pair belongs to one case: a second one is refused (\`case_exists\`).

**Store the words before you send anything.** Nobody can make them again, and without them nobody reads the answer.
`;
}

export function formatCaseKeySection({ api }: PublicAddresses): string {
  const header = serializeHeader({ kind: 'case-key.v1', case: 'LOOKUP_HASH', seq: 0 });
  return `## 3. The key of the case

Draw ${IDENTITY_SEED_BYTES} random bytes as the seed of a new identity: the case's. Its recipient is what everything in the case is sealed
to. The text of the case key has three lines, each ending with a line feed:

\`\`\`
# ${header}
# RECIPIENT_OF_THE_WORDS
IDENTITY_OF_THE_CASE
\`\`\`

Seal it to every \`desk\` recipient of \`GET ${api}/sealing-keys\` (public, no token), to its \`recovery\` recipient and to the
recipient of the words, one stanza each and to nobody else. Fetch these keys for each inquiry, and send \`set\` of the same answer
along as \`sealing_set\`.

To open a case again: \`GET ${api}/cases/{case}\` has \`case_key\`; the identity of the words opens it. Require the first line to be
exactly the one with your lookup hash, and derive the recipient from the identity instead of trusting any that is sent.

The **MAC key** of the case is HKDF-SHA-256 of the ${IDENTITY_SEED_BYTES} bytes of the case's seed, salt \`${caseLabels.salt}\`, info
\`${caseLabels.mac}\`, ${CASE_MAC_BYTES} bytes.

For people to compare, the case's key has a number: the first 16 bytes of SHA-256 of the case's recipient (the text
\`${RECIPIENT_PREFIX}1…\`), big-endian, modulo 10²⁰, as 20 digits in groups of five.
`;
}
