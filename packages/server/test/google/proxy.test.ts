import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import http from 'node:http';
import { connect as connectTcp, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import tls from 'node:tls';
import { GOOGLE_HOSTS, openAuthority } from '../../src/google/proxy/authority.ts';
import { createServerIdentity } from '../../src/google/proxy/certificates.ts';
import { type RunningProxy, startProxy } from '../../src/google/proxy/proxy.ts';
import { type GoogleClient, startGoogle, type World } from './support.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('google-proxy', () => {
  let world: World;
  let google: GoogleClient;
  let folder: string;
  let proxy: RunningProxy;
  let port = 0;
  let ca = '';

  before(async () => {
    ({ world, google } = await startGoogle());
    folder = await mkdtemp(join(tmpdir(), 'cellwire-proxy-'));
    proxy = await startProxy({
      host: '127.0.0.1',
      port: 0,
      server: new URL(world.server.address),
      folder,
      onListening: ({ url }) => {
        port = Number(new URL(url).port);
      },
    });
    ca = await readFile(join(folder, 'ca.pem'), 'utf8');
  });
  after(async () => {
    await proxy.close();
    await world.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Sends CONNECT; gives the status and the connection. */
  function openTunnel(authority: string): Promise<{ readonly status: number; readonly socket: Socket }> {
    return new Promise((resolve, reject) => {
      const request = http.request({ host: '127.0.0.1', port, method: 'CONNECT', path: authority, agent: false });
      request.once('connect', (response, socket) =>
        resolve({ status: response.statusCode ?? 0, socket: socket as Socket }),
      );
      request.once('response', (response) =>
        resolve({ status: response.statusCode ?? 0, socket: request.socket as Socket }),
      );
      request.once('error', reject);
      request.end();
    });
  }

  function exchange(socket: tls.TLSSocket, text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      let answer = '';
      socket.on('data', (piece) => {
        answer += piece;
      });
      socket.once('end', () => resolve(answer));
      socket.once('error', reject);
      socket.write(text);
    });
  }

  it("decrypts TLS for Google's hosts and forwards requests to the service", async () => {
    const id = await google.create();
    for (const [host, path] of [
      ['sheets.googleapis.com', `/v4/spreadsheets/${id}/values/A1`],
      ['www.googleapis.com', `/drive/v3/files/${id}`],
      ['docs.google.com', `/spreadsheets/d/${id}/export?format=csv`],
    ] as const) {
      const { status, socket } = await openTunnel(`${host}:443`);
      assert.equal(status, 200);
      const secure = tls.connect({ socket, servername: host, ca });
      const answer = await exchange(
        secure,
        `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${google.token}\r\nconnection: close\r\n\r\n`,
      );
      assert.match(answer, /^HTTP\/1\.1 200 /, path);
      assert.equal(secure.authorized, true);
    }
  });

  it('refuses other hosts and ports, and plain requests', async () => {
    for (const authority of [
      'example.com:443',
      'sheets.googleapis.com:80',
      'sheets.googleapis.com.evil.example:443',
      '127.0.0.1:443',
    ]) {
      const { status, socket } = await openTunnel(authority);
      socket.destroy();
      assert.equal(status, 403, authority);
    }
    const status = await new Promise((resolve) => {
      http.get({ host: '127.0.0.1', port, path: 'http://example.com/' }, (response) =>
        resolve(response.resume().statusCode),
      );
    });
    assert.equal(status, 403);
  });

  it('survives data that is neither HTTP nor TLS', async () => {
    const socket = connectTcp(port, '127.0.0.1');
    socket.end('\u0016\u0003\u0001 garbage\r\n\r\n');
    await new Promise((resolve) => socket.once('close', resolve).resume());
    const opened = await openTunnel('sheets.googleapis.com:443');
    opened.socket.end('no TLS at all\r\n\r\n');
    await new Promise((resolve) => opened.socket.once('close', resolve).resume());
    const laterTunnel = await openTunnel('sheets.googleapis.com:443');
    laterTunnel.socket.destroy();
    assert.equal(laterTunnel.status, 200);
  });

  it('creates an authority that signs only for these hosts, for 90 days, with a private key file', async () => {
    const certificate = new X509Certificate(ca);
    const days = (Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)) / DAY_MS;
    assert.equal(Math.round(days), 90);
    assert.equal(certificate.ca, true);
    assert.equal((await stat(join(folder, 'ca-key.pem'))).mode & 0o777, 0o600);
    const key = await readFile(join(folder, 'ca-key.pem'), 'utf8');
    const validity = { from: new Date(Date.now() - DAY_MS), until: new Date(Date.now() + DAY_MS) };
    const foreign = createServerIdentity({ certificate: ca, key }, ['example.com'], validity);
    const server = tls.createServer({ cert: foreign.certificate, key: foreign.key }, (socket) => socket.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address() as { readonly port: number };
    const reason = await new Promise<string>((resolve) => {
      tls
        .connect({ port: address.port, host: '127.0.0.1', servername: 'example.com', ca }, () => resolve('accepted'))
        .once('error', (error: NodeJS.ErrnoException) => resolve(error.message));
    });
    server.close();
    assert.match(reason, /permitted subtree violation/);
  });

  it('keeps its authority until shortly before its end', async () => {
    const laterTunnel = await openAuthority(folder, Date.now());
    assert.equal(await readFile(laterTunnel.certificatePath, 'utf8'), ca);
    const leaf = new X509Certificate(laterTunnel.server.certificate);
    for (const host of GOOGLE_HOSTS) assert.equal(leaf.checkHost(host), host);
    const other = await mkdtemp(join(tmpdir(), 'cellwire-proxy-'));
    await openAuthority(other, Date.now() - 86 * DAY_MS);
    const old = await readFile(join(other, 'ca.pem'), 'utf8');
    await openAuthority(other, Date.now());
    assert.notEqual(await readFile(join(other, 'ca.pem'), 'utf8'), old);
    await rm(other, { recursive: true, force: true });
  });
});
