import { lstatSync, readlinkSync } from 'node:fs';
import type { System } from './bwrap-arguments.ts';

const PROGRAMS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/nix'];

const ETC = [
  'alternatives',
  'ca-certificates',
  'ca-certificates.conf',
  'crypto-policies',
  'debian_version',
  'fonts',
  'java',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'lsb-release',
  'magic',
  'mime.types',
  'nsswitch.conf',
  'os-release',
  'pki/ca-trust',
  'pki/tls/certs',
  'pki/tls/cert.pem',
  'protocols',
  'services',
  'shells',
  'ssl/certs',
  'ssl/cert.pem',
  'ssl/openssl.cnf',
  'terminfo',
  'timezone',
];

export function systemOf(): System {
  return {
    programs: PROGRAMS.filter(exists).map((path) => ({ path, link: linkOf(path) })),
    etc: ETC.map(inEtc).filter(exists),
  };
}

const inEtc = (name: string) => `/etc/${name}`;

const exists = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

const linkOf = (path: string) =>
  lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
