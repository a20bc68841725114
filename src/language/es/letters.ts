/** The Spanish of what the operator's pages are called, and of letters to buyers. */
import type { englishLetters } from '#language/en/letters.ts';

export const spanishLetters = {
  'content.terms': 'lo que acordamos',
  'content.refunds': 'cuándo le devolvemos su dinero',
  'content.about': 'quién responde a su pregunta',
  'content.questions': 'lo que la gente pregunta antes de comprar',
  'content.what-you-get': 'los tres servicios',
  'content.sample': 'un ejemplo inventado',
  'content.privacy': 'privacidad, y quién puede leer lo que guardamos',
  'content.safety': 'salir rápido, ocultar su visita, líneas de ayuda',
  'content.sample.mark':
    'Este es un ejemplo. La pregunta, las personas y las direcciones que aparecen son inventadas.',
  'content.terms.version': 'Versión {#link}{$version}{/link}, vigente ahora.',
  'content.terms.former':
    'Esta es una versión anterior, {#code}{$version}{/code}. {#link}Las condiciones vigentes{/link}',
  'content.english': 'Este texto está en inglés.',

  'letter.subject': 'Un mensaje para usted',
  'letter.code.first':
    'Usted pidió este mensaje hace un momento. Si otras personas pueden ver su pantalla, siga leyendo cuando no puedan.',
  'letter.code':
    'es su código para iniciar sesión en {$site}. Sirve durante {$minutes :integer} minutos, en el navegador que lo pidió.',
  'letter.code.long':
    'es su código de hoy para iniciar sesión en {$site}. Se pidieron varios códigos con su dirección de correo, así que este es más largo y sirve durante {$hours :integer} horas en cualquier navegador. Hasta entonces no se envía otro código.',
  'letter.code.secret': 'Nadie de {$site} se lo pedirá nunca.',
  'letter.code.unasked':
    'Si usted no pidió un código, otra persona escribió su dirección de correo. No tiene que hacer nada: sin este código no pasa nada.',
  'letter.form': 'Todavía no ha enviado su formulario. Este es el camino de vuelta:',
  'letter.form.button':
    'Presione el botón de esa página. El enlace sirve hasta que se envíe el formulario, {$days :integer} días como máximo.',
  'letter.form.end':
    'Si ya envió el formulario, o no quiere seguir, no tiene que hacer nada. No se lo recordaremos otra vez, y no guardamos su dirección de correo.',
} as const satisfies Readonly<Record<keyof typeof englishLetters, string>>;
