/** What is used of the age library; loaded at first use, since reading it takes a tenth of the service's start. */
export { Decrypter, Encrypter, generateHybridIdentity, identityToRecipient } from 'age-encryption';
