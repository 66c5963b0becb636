throw { status: 404 };
