/** The Spanish of the contact page. */
import type { englishContact } from '#language/en/contact-page.ts';

export const spanishContact = {
  'contact.description':
    'Preguntas, sus datos, abusos, seguridad, prensa: escríbanos en confianza, sin necesidad de una cuenta.',
  'contact.title': 'Escríbanos',
  'contact.lead':
    'Solo nuestros investigadores pueden leer esto. Si tiene un caso con nosotros y {#link}la página de su caso{/link} todavía le permite escribir, escriba mejor ahí.',
  'contact.topic': '¿De qué se trata?',
  'contact.topic.question': 'Una pregunta',
  'contact.topic.privacy_request': 'Mis datos',
  'contact.topic.abuse_report': 'Denunciar un mal uso',
  'contact.topic.security': 'Informar sobre un problema de seguridad',
  'contact.topic.press': 'Pregunta de prensa',
  'contact.message': 'Su mensaje',
  'contact.reply_to': '¿Cómo podemos responderle?',
  'contact.reply_to.hint':
    'Una dirección de correo que nadie más lea, o un teléfono que nadie más conteste. Sin eso no podemos responder.',
  'contact.note.server':
    '{#strong}Nuestro script no funciona en su navegador.{/strong} Nuestro servidor pone su mensaje bajo llave en cuanto llega, y puede leerlo durante ese momento. No se guarda nada legible.',
  'contact.note.browser': '{#strong}Bajo llave en su navegador.{/strong} Nuestro servidor nunca ve el texto.',
  'contact.send': 'Enviar',
  'contact.full':
    'Nuestro buzón está lleno en este momento. Por favor, escriba a {#link}{$address}{/link}. Un correo puede leerse en el camino, así que no ponga en él nada sobre un caso.',
  'contact.full.write': 'Nuestro buzón está lleno en este momento. Por favor, escriba a {$address}.',
  'contact.full.case':
    'Si ya tiene un caso con nosotros, escriba en {#link}la página de su caso{/link}: eso sigue funcionando.',
  'contact.sent.title': 'Gracias',
  'contact.sent': 'Su mensaje nos llegó, bajo llave. Si nos dijo cómo responderle, lo haremos.',
} as const satisfies Readonly<Record<keyof typeof englishContact, string>>;
