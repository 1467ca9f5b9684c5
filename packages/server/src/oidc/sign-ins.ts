import type { Configuration, ServerMetadata } from 'openid-client';
import { Semaphore } from '../auth/semaphore.ts';
import { isLoopbackUrl } from './issuer.ts';
import type { OidcOptions } from './options.ts';
import { type Connecting, openSignIn, PENDING_SECONDS, sealSignIn } from './pending-sign-in.ts';
import { type Profile, profileOf } from './profile.ts';
import { failureFrom } from './provider-errors.ts';
import { SignInFailure } from './sign-in-failure.ts';
import { OIDC_PATH } from './sign-in-cookie.ts';

const TIMEOUT_SECONDS = 10;
const DISCOVERY_TTL_MS = 10 * 60_000;
const DISCOVERY_ATTEMPTS = 2;
/** Of requests to the provider, which anyone can cause. */
const MAX_CONCURRENT = 16;

export const OIDC_SIGN_IN = `${OIDC_PATH}/sign-in`;
export const OIDC_CALLBACK = `${OIDC_PATH}/callback`;

export interface BegunSignIn {
  /** Of the provider. */
  readonly url: string;
  /** The value of the cookie. */
  readonly sealed: string;
}

export interface FinishedSignIn {
  readonly profile: Profile;
  readonly returnTo: string;
  /** Identifies the sign-in, which must not be finished twice. */
  readonly state: string;
  readonly connect?: Connecting;
}

/** Sign-ins at the OIDC provider: authorization code with PKCE, state, and nonce. */
export class OidcSignIns {
  readonly options: OidcOptions;
  readonly #keys: readonly Buffer[];
  readonly #now: () => number;
  readonly #exchanges = new Semaphore(MAX_CONCURRENT);
  #discovered: { readonly metadata: Promise<ServerMetadata>; readonly at: number } | undefined;

  /** The first key encrypts sign-ins in progress, all decrypt. */
  constructor(options: OidcOptions, keys: readonly Buffer[], now: () => number = Date.now) {
    this.options = options;
    this.#keys = keys;
    this.#now = now;
  }

  /** `origin` is that of this server. Throws `SignInFailure`. */
  async begin(origin: string, returnTo: string, connect?: Connecting): Promise<BegunSignIn> {
    const client = await import('openid-client');
    const config = await this.#config();
    const pending = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
      returnTo,
      ...(connect && { connect }),
      expiresAt: this.#now() + PENDING_SECONDS * 1000,
    };
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: `${origin}${OIDC_CALLBACK}`,
      scope: this.options.scopes,
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(pending.verifier),
      code_challenge_method: 'S256',
      // The user chooses the account, whichever is signed in at the provider.
      ...(connect && { prompt: 'login' }),
    });
    return { url: url.href, sealed: sealSignIn(pending, this.#keys) };
  }

  /** `search` is the query string with which the browser came back. Throws `SignInFailure`. */
  async finish(
    sealed: string | undefined,
    origin: string,
    search: string,
  ): Promise<FinishedSignIn> {
    const pending = openSignIn(sealed ?? '', this.#keys, this.#now());
    const url = new URL(`${origin}${OIDC_CALLBACK}${search}`);
    if (pending === undefined || url.searchParams.get('state') !== pending.state) {
      throw new SignInFailure('not_started');
    }
    const { nonce, verifier, state, returnTo, connect } = pending;
    return await this.#exchanges.run(async () => {
      const client = await import('openid-client');
      const config = await this.#config();
      try {
        const tokens = await client.authorizationCodeGrant(config, url, {
          pkceCodeVerifier: verifier,
          expectedNonce: nonce,
          expectedState: state,
        });
        const claims = tokens.claims();
        if (claims === undefined) throw new SignInFailure('invalid');
        // Some providers send only the subject with the token.
        const more =
          config.serverMetadata().userinfo_endpoint === undefined
            ? {}
            : await client.fetchUserInfo(config, tokens.access_token, claims.sub);
        return {
          profile: profileOf({ ...more, ...claims }, this.options),
          returnTo,
          state,
          ...(connect && { connect }),
        };
      } catch (error) {
        throw failureFrom(error, client);
      }
    });
  }

  /** Where the browser ends its session at the provider. Undefined: the provider is down, or has no such page. */
  async signOutUrl(origin: string): Promise<string | undefined> {
    const client = await import('openid-client');
    try {
      const config = await this.#config();
      if (config.serverMetadata().end_session_endpoint === undefined) return undefined;
      // Without id_token_hint: no token belongs into a URL.
      return client.buildEndSessionUrl(config, { post_logout_redirect_uri: `${origin}/` }).href;
    } catch {
      return undefined;
    }
  }

  /** Reads the configuration of the provider. Throws `SignInFailure`. */
  async check(): Promise<void> {
    await this.#config();
  }

  /** A new one for each sign-in: it has no cached keys, so that a changed signing key is found. */
  async #config(): Promise<Configuration> {
    const client = await import('openid-client');
    const metadata = await this.#metadata();
    const { clientId, clientSecret } = this.options;
    const methods = metadata.token_endpoint_auth_methods_supported;
    const authentication =
      clientSecret === undefined
        ? client.None()
        : methods === undefined || methods.includes('client_secret_basic')
          ? client.ClientSecretBasic(clientSecret)
          : client.ClientSecretPost(clientSecret);
    const config = new client.Configuration({ ...metadata }, clientId, undefined, authentication);
    config.timeout = TIMEOUT_SECONDS;
    // Checks the signature of the ID token.
    client.enableNonRepudiationChecks(config);
    if (this.#isInsecure) client.allowInsecureRequests(config);
    return config;
  }

  /** Only for a provider on this computer: see `parseIssuer`. */
  get #isInsecure(): boolean {
    return isLoopbackUrl(this.options.issuer);
  }

  async #metadata(): Promise<ServerMetadata> {
    const known = this.#discovered;
    if (known !== undefined && this.#now() - known.at < DISCOVERY_TTL_MS)
      return await known.metadata;
    const metadata = this.#discover();
    this.#discovered = { metadata, at: this.#now() };
    try {
      return await metadata;
    } catch (error) {
      // The next sign-in tries again.
      this.#discovered = undefined;
      throw error;
    }
  }

  async #discover(): Promise<ServerMetadata> {
    const client = await import('openid-client');
    const { issuer, clientId } = this.options;
    for (let attempt = 1; ; attempt++) {
      try {
        const found = await client.discovery(new URL(issuer), clientId, undefined, client.None(), {
          timeout: TIMEOUT_SECONDS,
          ...(this.#isInsecure && { execute: [client.allowInsecureRequests] }),
        });
        return found.serverMetadata();
      } catch (error) {
        if (attempt === DISCOVERY_ATTEMPTS) throw failureFrom(error, client);
      }
    }
  }
}
