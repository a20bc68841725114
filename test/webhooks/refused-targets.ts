/** Addresses to which the service must never connect, even if a program names them, and a name service for some. */

export const PUBLIC_ADDRESS = '93.184.215.14';

export const names: Record<string, readonly string[]> = {
  'agent.example': [PUBLIC_ADDRESS],
  'inside.example': ['10.0.0.7'],
  'mixed.example': [PUBLIC_ADDRESS, '192.168.1.1'],
  'mapped.example': ['::ffff:10.0.0.7'],
};

export const resolveHost = async (host: string) => names[host] ?? [];

export const REFUSED_TARGETS = [
  'http://agent.example/',
  'ftp://agent.example/',
  '/events',
  'https://user:word@agent.example/',
  'https://user@agent.example/',
  'https://agent.example/#part',
  'https://agent.example:25/',
  'https://agent.example:80/',
  'https://unknown.example/',
  'https://inside.example/',
  'https://mixed.example/',
  'https://mapped.example/',
  'https://10.1.2.3/',
  'https://172.31.255.255/',
  'https://192.168.0.1:8443/',
  'https://169.254.169.254/latest/meta-data/',
  'https://100.64.0.1/',
  'https://0.0.0.0/',
  'https://224.0.0.1/',
  'https://255.255.255.255/',
  // Decimal, hexadecimal, octal and short spellings of private addresses.
  'https://167772161/',
  'https://0x0a000001/',
  'https://012.0.0.1/',
  'https://10.1/',
  'https://[fe80::1]/',
  'https://[fd00::1]/',
  'https://[::ffff:192.168.0.1]/',
  'https://[64:ff9b::10.0.0.1]/',
  'https://[2002:a00:1::]/',
  'https://[ff02::1]/',
  'https://[::]/',
] as const;
