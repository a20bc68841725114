/** The Spanish of signing in, and of letting a program act. */
import type { englishSignIn } from '#language/en/sign-in.ts';

export const spanishSignIn = {
  'sign_in.title': 'Iniciar sesión',
  'sign_in.lead':
    '{#strong}{$client}{/strong} pide actuar por usted en {$site}. Primero díganos quién es, de una de dos maneras. Después, usted decide.',
  'sign_in.cancel': 'Cancelar y volver',
  'sign_in.address.title': 'Con su dirección de correo',
  'sign_in.address': 'Su dirección de correo',
  'sign_in.address.hint': 'Le enviaremos un código. {$more}',
  'sign_in.address.hint.client':
    'Guardamos la dirección bajo una llave nuestra, y se la damos a {$client} solo si usted marca después una casilla para eso.',
  'sign_in.address.send': 'Enviarme un código',
  'sign_in.address.invalid': 'Escriba una dirección de correo, como nombre@example.com',
  'sign_in.words.title': 'Con las palabras de un caso',
  'sign_in.words.hint.client':
    'El programa puede ver entonces en qué punto está ese caso. No recibe las palabras.',
  'sign_in.words.note.server':
    '{#strong}Nuestro script no funciona en su navegador.{/strong} Sus palabras van a nuestro servidor, que encuentra su caso con ellas y luego las olvida.',
  'sign_in.words.note.browser':
    '{#strong}Sus palabras se quedan en su navegador.{/strong} De él sale solo lo necesario para encontrar su caso.',
  'sign_in.words.send': 'Entrar con las palabras',
  'sign_in.code.title': 'Escriba el código',
  'sign_in.code.lead':
    'Busque “{$subject}” en su correo. Un código de seis dígitos sirve durante {$minutes :integer} minutos, solo en este navegador. Uno más largo sirve todo el día.',
  'sign_in.code': 'Código',
  'sign_in.code.hint':
    '¿No está? Busque en el correo no deseado, y un correo anterior de hoy con un código más largo. El correo está en inglés.',
  'sign_in.code.send': 'Continuar',
  'sign_in.code.again': 'Usar otra dirección, o pedir un código nuevo',
  'sign_in.code.spent': 'Ese código ya no sirve. Pida uno nuevo.',
  'sign_in.code.wrong':
    '.input {$guesses :integer} .match $guesses one {{Ese no es el código. Puede intentarlo {$guesses} vez más.}} * {{Ese no es el código. Puede intentarlo {$guesses} veces más.}}',
  'consent.title': '¿Permitir que {$client} actúe por usted?',
  'consent.lead': 'Si lo permite, {#strong}{$client}{/strong} puede:',
  'consent.cases':
    'Sus casos son los que el programa envía por usted. El programa no recibe las palabras de un caso que envió usted.',
  'consent.cases.words':
    'Sus casos son los que el programa envía por usted, y el caso cuyas palabras acaba de usar. El programa no recibe las palabras de un caso que envió usted.',
  'consent.end':
    'Puede quitar el permiso en cualquier momento en la página {#link}Programas que actúan por usted{/link}. Si no, dura hasta que el programa renuncie a él o pase {$unused :integer} días sin usarlo, y {$days :integer} días como máximo.',
  'consent.end.words':
    'Puede quitar el permiso en cualquier momento en la página {#link}Programas que actúan por usted{/link}. Si no, dura hasta que el programa renuncie a él o pase {$unused :integer} días sin usarlo, hasta que se borre el caso, y {$days :integer} días como máximo.',
  'consent.back': 'Usted vuelve a {#code}{$place}{/code}. Permítalo solo si empezó ahí.',
  'consent.back.app': 'una aplicación en este dispositivo',
  'consent.email': 'Decir mi dirección de correo a {$client}',
  'consent.email.hint': 'Si no lo marca, el programa le conoce solo por un número al azar.',
  'consent.allow': 'Permitir',
  'consent.refuse': 'No permitir',
  'scope.case_read':
    'ver en qué punto están sus casos, y traer los mensajes y respuestas bajo llave que hay en ellos',
  'scope.case_write.buy':
    'empezar una compra: cada una la paga de todos modos una persona, en la página del proveedor de pagos',
  'scope.case_write.send': 'enviar la consulta que se pagó, y escribir en sus casos',
  'scope.case_write.end':
    'cambiar cuánto tiempo se guarda un caso, o retirarlo: un caso retirado se borra después de {$hours :integer} horas',
  'scope.contact_write': 'enviarnos mensajes de contacto',
  'scope.pricing_read': 'leer nuestros precios, y si se aceptan pagos',
} as const satisfies Readonly<Record<keyof typeof englishSignIn, string>>;
