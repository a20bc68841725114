/** The parts of the age library that are used; loaded lazily, because loading takes a tenth of the start-up time. */
export { Decrypter, Encrypter, generateHybridIdentity, identityToRecipient } from 'age-encryption';
