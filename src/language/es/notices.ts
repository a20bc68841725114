/** The Spanish of telling buyers that something is new: the part of the case page, the letters and the calendar file. */
import type { englishNotices } from '#language/en/notices.ts';

export const spanishNotices = {
  'notice.sent':
    'No tiene que estar mirando: en la página de su caso puede pedir que le avisemos cuando haya algo nuevo. Lo que enviamos no dice más que eso.',
  'notice.title': 'Cuando haya algo nuevo',
  'notice.intro':
    'Puede volver con sus doce palabras cuando quiera. Si prefiere no estar pendiente, elija cómo recibir un aviso.',
  'notice.by_mail': 'Avisarme por correo',
  'notice.by_calendar': 'Poner un recordatorio en mi calendario',
  'notice.about':
    'Podemos enviarle un correo cuando su investigador le escriba, cuando nuestra respuesta esté lista, {$days :integer} días antes de borrar este caso, otra vez {$hours :integer} horas antes, y una vez borrado. Cada correo dice solo que hay algo nuevo: no nos nombra y no lleva ningún enlace. Llegan a medianoche, a las 6, a las 12 o a las 18 horas UTC, nunca en el momento en que pasa algo.',
  'notice.price':
    'El correo tiene sus riesgos. Su proveedor de correo, y cualquiera que lea su correo, verá que alguien le escribe, y la dirección desde la que escribimos. Y si nos da la dirección con la que pagó, quien consiguiera nuestras llaves y los registros de nuestro proveedor de pagos podría relacionarle con este caso. Por eso, denos otra dirección, y mejor una que nadie más pueda abrir.',
  'notice.address': 'Dirección de correo',
  'notice.address.hint':
    'No use la dirección con la que pagó. La que nos dé la ponemos bajo llave, no la usamos para nada más y la borramos después del último correo.',
  'notice.address.invalid': 'Escriba una sola dirección de correo, como nombre@example.com',
  'notice.save': 'Avisarme',
  'notice.saved': 'Le enviaremos un correo cuando haya algo nuevo.',
  'notice.on': 'Le enviaremos un correo cuando haya algo nuevo. Para usar otra dirección, escríbala abajo.',
  'notice.stop': 'No avisarme más y borrar mi dirección',
  'notice.stopped': 'Su dirección de correo está borrada. Ya no le enviaremos correos.',
  'notice.mail.subject': 'Hay algo nuevo',
  'notice.mail.new': 'Nos pidió que le avisáramos cuando hubiera algo nuevo. Lo hay.',
  'notice.mail.last':
    'Nos pidió que le avisáramos cuando hubiera algo nuevo. Lo hay, y este es el último de estos mensajes: ahora que le escribimos, se borra su dirección de correo.',
  'notice.mail.where':
    'Usted sabe dónde mirar. Este mensaje no lleva ningún enlace a propósito, y nadie le pedirá nada por correo.',
  'notice.calendar.about':
    'Su navegador hace un archivo de calendario que le recuerda el plazo de nuestra respuesta o, una vez que la tenga, {$days :integer} días antes, que vamos a borrar este caso. El archivo no puede saber cuándo le escribimos. Dice “{$title}” y nada sobre nosotros. Muchos calendarios se copian a un servidor y se muestran en otros dispositivos.',
  'notice.calendar.title': 'Volver a mirar',
  'notice.calendar.save': 'Guardar el archivo de calendario',
} as const satisfies Readonly<Record<keyof typeof englishNotices, string>>;
