/** The parts of the age library in use; loaded on first use because loading it takes a tenth of the start-up time. */
export { Decrypter, Encrypter, generateHybridIdentity, identityToRecipient } from 'age-encryption';
