use std::sync::Arc;

use actix::{Context, Handler, ResponseFuture};

use super::{
    CreateFirstAdmin, CreateKey, CreatedKey, KeyRingActor, KeyRingError, KeySummary, ListKeys, Principal, ResolveKey,
    RevokeKey, RotateKey, store,
};

type Answer<T> = ResponseFuture<Result<T, KeyRingError>>;

impl Handler<ResolveKey> for KeyRingActor {
    type Result = Answer<Option<Arc<Principal>>>;

    fn handle(&mut self, asked: ResolveKey, _: &mut Context<Self>) -> Self::Result {
        let ring = self.ring.clone();
        Box::pin(async move { ring.resolve(&asked.presented).await })
    }
}

impl Handler<CreateKey> for KeyRingActor {
    type Result = Answer<CreatedKey>;

    fn handle(&mut self, asked: CreateKey, _: &mut Context<Self>) -> Self::Result {
        let ring = self.ring.clone();
        Box::pin(async move { ring.create(asked).await })
    }
}

impl Handler<CreateFirstAdmin> for KeyRingActor {
    type Result = Answer<Option<CreatedKey>>;

    fn handle(&mut self, _: CreateFirstAdmin, _: &mut Context<Self>) -> Self::Result {
        let ring = self.ring.clone();
        Box::pin(async move { ring.create_first_admin().await })
    }
}

impl Handler<ListKeys> for KeyRingActor {
    type Result = Answer<Vec<KeySummary>>;

    fn handle(&mut self, asked: ListKeys, _: &mut Context<Self>) -> Self::Result {
        let ring = self.ring.clone();
        Box::pin(async move { store::list(&ring.db, asked.email.as_deref()).await })
    }
}

impl Handler<RevokeKey> for KeyRingActor {
    type Result = Answer<()>;

    fn handle(&mut self, asked: RevokeKey, _: &mut Context<Self>) -> Self::Result {
        let ring = self.ring.clone();
        Box::pin(async move { ring.revoke(asked.key_id).await })
    }
}

impl Handler<RotateKey> for KeyRingActor {
    type Result = Answer<CreatedKey>;

    fn handle(&mut self, asked: RotateKey, _: &mut Context<Self>) -> Self::Result {
        let ring = self.ring.clone();
        Box::pin(async move { ring.rotate(asked.key_id).await })
    }
}
