export function SignIn() {
  return <main className="p-8">You are not signed in.</main>;
}
